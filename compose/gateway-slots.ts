import { Unavailable } from '../actors/domain/problem.js';
import type { ImportStep, ImportWork } from '../actors/imports/import-work.js';
import type { Alert, AlertedPush, Alerts, NoAlert } from '../actors/push/alerts.js';
import type { ImportsProgress } from '../proto/gen/types.js';

/** The alerts of a node whose actors start before its gateway: until then pushes wait. */
export class AlertsSlot implements Alerts {
  #alerts: Alerts | undefined;

  fill(alerts: Alerts): void {
    this.#alerts = alerts;
  }

  async of(account: string, subscription: string, notificationId: string, push: AlertedPush): Promise<Alert | NoAlert> {
    if (this.#alerts === undefined) throw new Unavailable('the node is starting');
    return this.#alerts.of(account, subscription, notificationId, push);
  }
}

/** The imports of a node whose actors start before its gateway: until then their steps wait. */
export class ImportsSlot implements ImportWork {
  #work: ImportWork | undefined;

  fill(work: ImportWork): void {
    this.#work = work;
  }

  async carryOut(step: ImportStep): Promise<ImportsProgress> {
    if (this.#work === undefined) throw new Unavailable('the node is starting');
    return this.#work.carryOut(step);
  }
}
