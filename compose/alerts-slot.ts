import { Unavailable } from '../actors/domain/problem.js';
import type { Alert, AlertedPush, Alerts, NoAlert } from '../actors/push/alerts.js';

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
