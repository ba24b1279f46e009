import type { ActivityHandler, IncomingActivity, IncomingServices, Outcome } from '../inbox/port.js';
import { isBy } from '../reading/authority.js';
import { isSameOrigin } from '../reading/uris.js';
import { idOf, objectOf, typeAmong } from '../reading/values.js';
import { localAccountAt, outcomeOf } from './local.js';

/** Undoes the effect of an activity on its object. */
type Undoing = (object: string, activity: IncomingActivity, services: IncomingServices) => Promise<Outcome>;

const relation =
  (command: 'unfollow' | 'unblock'): Undoing =>
  async (object, { sender }, services) => {
    const target = await localAccountAt(object, services);
    return target === undefined
      ? 'ignored'
      : outcomeOf(await services.askAccount(sender.id, command, { target: target.id }));
  };

const mark =
  (command: 'unfavourite' | 'unreblog'): Undoing =>
  async (object, { sender }, services) => {
    const status = await services.notes.known(object);
    if (status === undefined) return 'ignored';
    const undone = { statusId: status.id, by: sender.id };
    return outcomeOf(await services.askConversation(status.conversationId, command, undone));
  };

const UNDOING: ReadonlyMap<string, Undoing> = new Map([
  ['Follow', relation('unfollow')],
  ['Block', relation('unblock')],
  ['Like', mark('unfavourite')],
  ['EmojiReact', mark('unfavourite')],
  ['Announce', mark('unreblog')],
]);

/**
 * The sender undoes an activity of its own, which may be embedded or named. The undone activity has no effect any more
 * if it arrives later. Source: ActivityPub §7.14.
 */
export const undo: ActivityHandler = {
  isRemembered: true,
  async take(activity, services) {
    const { document, allowed, senderUri } = activity;
    const embedded = objectOf(document.object);
    const id = allowed.objectId;
    if (embedded !== undefined && !isBy(embedded, senderUri)) return 'ignored';
    if (id !== undefined && !isSameOrigin(id, senderUri)) return 'ignored';
    const known = id === undefined ? undefined : await services.activities.find(id);
    if (known !== undefined && known.actor !== senderUri) return 'ignored';
    const type = (embedded && typeAmong(embedded, UNDOING)) ?? known?.type ?? '';
    const object = (embedded && idOf(embedded.object)) ?? known?.object ?? '';
    const outcome = (await UNDOING.get(type)?.(object, activity, services)) ?? 'ignored';
    if (id !== undefined) await services.activities.add(id, { actor: senderUri, type, object });
    return outcome;
  },
};
