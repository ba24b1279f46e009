import { PUSH_ALERTS } from '../../actors/account/push.js';
import { isProblem } from '../../actors/domain/problem.js';
import type { AccountPushSubscription } from '../../proto/gen/types.js';
import type { SimulatedNode } from './node.js';

/** Subscriptions of one account: a phone and a tablet. */
const DEVICES = ['phone', 'tablet'];

/** Subscribes the devices of an account to all pushes. Returns the ids of the subscriptions. */
export async function subscribed(node: SimulatedNode, account: string): Promise<string[]> {
  const ids: string[] = [];
  for (const device of DEVICES) {
    const tokenHash = `${device} of ${account}`;
    await asked(node, account, 'issueToken', { tokenHash, clientId: 'app', scopes: ['push'], kind: 'access' });
    const keys = { p256dh: 'p', auth: 'a', standard: true };
    const wanted = { tokenHash, endpoint: `https://${device}.example/`, ...keys, alerts: PUSH_ALERTS, policy: 'all' };
    ids.push(((await asked(node, account, 'subscribePush', wanted)) as AccountPushSubscription).id);
  }
  return ids;
}

async function asked(node: SimulatedNode, account: string, command: string, input: object): Promise<unknown> {
  for (;;) {
    const reply = await node.runtime.ask('account', account, command, input).catch(() => undefined);
    if (reply === undefined) continue;
    if (isProblem(reply)) throw new Error(`${command} was refused: ${reply.detail}`);
    return reply;
  }
}
