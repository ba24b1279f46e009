import type { ReadTables } from '../../../../store/port.js';
import { accounts } from '../../../../store/tables.js';
import { emptyProfile } from '../../../account/profile.js';
import type { AccountEvents, AccountState } from '../../../account/slices.js';
import { accountUri, accountUrl } from '../../../domain/addresses.js';
import { type Outgoing, queueActivity } from '../../../federation/delivery/queue.js';
import { actorDocument } from '../../../federation/documents/actor.js';
import { hashtagDocument } from '../../../federation/documents/hashtag.js';
import type { Rendering } from '../../../federation/documents/objects.js';
import { inboxesOfFollowersOf, sharedInboxOf } from '../../../federation/outgoing/audience.js';
import { deleteActivity } from '../../../federation/outgoing/delete.js';
import { endorsementActivity, pinActivity, tagActivity } from '../../../federation/outgoing/pin.js';
import { updateActivity } from '../../../federation/outgoing/update.js';
import type { Effects, Happened, Reaction } from '../../../runtime/kind.js';

/** The dependencies of activities about profiles. */
export interface ProfileFederation extends Pick<Rendering, 'emojiIn'> {
  /** Returns the public key of a local account. @throws Unavailable */
  publicPem(account: string): Promise<string>;
}

interface Here extends ProfileFederation {
  readonly tables: Pick<ReadTables, 'get' | 'getMany' | 'range'>;
  readonly baseUrl: string;
  readonly domain: string;
}
type Now = Happened<AccountState>;
type Send = (
  now: Now,
  effects: Effects,
  render: (uri: string) => Promise<Outgoing['activity'] | undefined>,
) => Promise<void>;
type Change = 'Add' | 'Remove';

/** Actions of moderators that the actor document shows. */
const SHOWN_IN_ACTOR = new Set(['memorialize', 'unmemorialize']);

/** Accounts read together. */
const RELATED_AT_ONCE = 500;

/**
 * Tells the servers of followers of changes of a profile, of pins, of featured hashtags and accounts, and of the end of
 * the account, after the reply.
 */
export function federatedProfile(here: Here): Reaction<AccountState, AccountEvents> {
  const { baseUrl, tables } = here;
  const send: Send = async (now, effects, render) => {
    const inboxes = await inboxesOfFollowersOf(tables, now.self);
    if (inboxes.length === 0) return;
    const uri = accountUri(baseUrl, { username: now.state.owner?.username ?? '', origin: undefined });
    const activity = await render(uri);
    const outgoing = { inboxes, signer: { id: now.self, uri }, order: now.self };
    if (activity !== undefined) await queueActivity(tables, now, effects, { activity, ...outgoing });
  };
  const { pin, tag, endorsement } = collected(here, send);
  const update = (now: Now, effects: Effects) => {
    if (now.state.isFollowedElsewhere !== true) return undefined;
    return send(now, effects, async (uri) => {
      const record = await tables.get(accounts, { account: now.self });
      if (record === undefined) return undefined;
      const { displayName, note, fields } = record.profile ?? emptyProfile;
      const emojis = here.emojiIn(displayName, note, ...fields.flatMap(({ name, value }) => [name, value]));
      const actor = actorDocument(here, record, await here.publicPem(now.self), emojis);
      return updateActivity(uri, actor, `${now.seq}`);
    });
  };
  return {
    surface: 'federation',
    beforeReply: false,
    on: {
      profileUpdated: (_event, now, effects) => update(now, effects),
      moderated: ({ action }, now, effects) => (SHOWN_IN_ACTOR.has(action) ? update(now, effects) : undefined),
      pinned: ({ statusId }, now, effects) => pin('Add', statusId, now, effects),
      unpinned: ({ statusId }, now, effects) => pin('Remove', statusId, now, effects),
      endorsed: ({ target }, now, effects) => endorsement('Add', target, now, effects),
      unendorsed: ({ target }, now, effects) => endorsement('Remove', target, now, effects),
      tagFeatured: ({ name }, now, effects) => tag('Add', name, now, effects),
      tagUnfeatured: ({ name }, now, effects) => tag('Remove', name, now, effects),
      /** Before the account's follows end, which are deleted in steps. */
      async purged(_event, now, effects) {
        const { origin, owner } = now.state;
        if (origin !== undefined || owner === undefined) return;
        const inboxes = await inboxesThatKnow(tables, now);
        if (inboxes.length === 0) return;
        const uri = accountUri(baseUrl, { username: owner.username, origin: undefined });
        const activity = { ...deleteActivity(uri, uri), object: uri };
        await queueActivity(tables, now, effects, {
          activity,
          inboxes,
          signer: { id: now.self, uri },
          order: now.self,
        });
      },
    },
  };
}

/** Returns the effects of changes of a local account's collections. */
function collected({ tables, baseUrl }: Here, send: Send) {
  const isTold = ({ state }: Now) => state.isFollowedElsewhere === true && state.origin === undefined;
  return {
    pin: (type: Change, statusId: string, now: Now, effects: Effects) =>
      isTold(now)
        ? send(now, effects, async (uri) => pinActivity(type, uri, `${uri}/statuses/${statusId}`, `${now.seq}`))
        : undefined,
    tag: (type: Change, name: string, now: Now, effects: Effects) =>
      isTold(now) && name !== ''
        ? send(now, effects, async (uri) => {
            const page = accountUrl(baseUrl, { username: now.state.owner?.username ?? '', origin: undefined });
            return tagActivity(type, uri, hashtagDocument(page, name), `${now.seq}`);
          })
        : undefined,
    /** An owner who hides featured accounts tells nobody of new ones. */
    endorsement: (type: Change, target: string, now: Now, effects: Effects) =>
      isTold(now) && (type === 'Remove' || now.state.profile.hideFeatured !== true)
        ? send(now, effects, async (uri) => {
            const record = await tables.get(accounts, { account: target });
            return record && endorsementActivity(type, uri, accountUri(baseUrl, record), `${now.seq}`);
          })
        : undefined,
  };
}

/**
 * Returns the inboxes of all servers that know a local account by its relations: those of followers, of accounts that it
 * follows or asked to follow, of accounts that asked to follow it, and of blocks in both directions.
 */
async function inboxesThatKnow(tables: Here['tables'], { self, state }: Now): Promise<string[]> {
  const inboxes = new Set(await inboxesOfFollowersOf(tables, self));
  const related = [...state.following.keys(), ...state.requests.keys(), ...state.blocking.keys(), ...state.blockedBy];
  for (let from = 0; from < related.length; from += RELATED_AT_ONCE) {
    const keys = related.slice(from, from + RELATED_AT_ONCE).map((account) => ({ account }));
    for (const one of await tables.getMany(accounts, keys))
      if (one?.remote?.gone === false) inboxes.add(sharedInboxOf(one.remote));
  }
  return [...inboxes];
}
