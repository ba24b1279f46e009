import type { AccountCollectionItem } from '../../../../proto/gen/types.js';
import type { ReadTables } from '../../../../store/port.js';
import { accounts } from '../../../../store/tables.js';
import { collectionOf } from '../../../account/collections.js';
import type { AccountEvents, AccountState } from '../../../account/slices.js';
import { accountUri, collectionUri, isLocal } from '../../../domain/addresses.js';
import { isThere } from '../../../domain/standing.js';
import { type Outgoing, queueActivity } from '../../../federation/delivery/queue.js';
import {
  type FeaturedAccount,
  featuredCollectionDocument,
  featuredItemDocument,
} from '../../../federation/documents/featured-collection.js';
import { inboxesOfFollowersOf, sharedInboxOf } from '../../../federation/outgoing/audience.js';
import {
  addCollectionActivity,
  addFeaturedActivity,
  removeCollectionActivity,
  removeFeaturedActivity,
} from '../../../federation/outgoing/featured-collection.js';
import { updateActivity } from '../../../federation/outgoing/update.js';
import type { Effects, Happened, Reaction } from '../../../runtime/kind.js';

interface Here {
  readonly tables: Pick<ReadTables, 'get' | 'getMany' | 'range'>;
  readonly baseUrl: string;
}
type Now = Happened<AccountState>;
type Items = readonly AccountCollectionItem[];

/**
 * Tells the servers of followers of the discoverable collections of a local account, and the servers of featured accounts
 * that these are removed. After the reply. The activities of one collection arrive in order. Source: FEP-7aa9.
 */
export function federatedCollections(here: Here): Reaction<AccountState, AccountEvents> {
  const told = (id: string, now: Now, effects: Effects, render: Render) => tell(here, id, now, effects, render);
  const added = (id: string, now: Now, effects: Effects) =>
    told(id, now, effects, async () => {
      const collection = await documentOf(here, id, now);
      return collection && addCollectionActivity(collection, `${now.seq}`);
    });
  const ended = (id: string, now: Now, effects: Effects) =>
    told(id, now, effects, async (actor, uri) => removeCollectionActivity(actor, uri, `${now.seq}`));
  const isShown = (id: string, { state }: Now) => state.collections.get(id)?.text.discoverable === true;
  return {
    surface: 'federation',
    beforeReply: false,
    on: {
      collectionCreated: ({ id }, now, effects) => (isShown(id, now) ? added(id, now, effects) : undefined),
      collectionUpdated({ id, text, listingChanged }, now, effects) {
        const isListed = text?.discoverable === true;
        if (listingChanged === true) return isListed ? added(id, now, effects) : ended(id, now, effects);
        if (!isListed) return undefined;
        return told(id, now, effects, async (actor) => {
          const collection = await documentOf(here, id, now);
          return collection && updateActivity(actor, collection, `${now.seq}`);
        });
      },
      async collectionDeleted({ id, items, discoverable }, now, effects) {
        // The deletion of an account says this, too.
        if (discoverable === true && !now.state.moderation.deleted) await ended(id, now, effects);
        await parted(here, { id, items }, now, effects, []);
      },
      /** Several accounts are added only with their collection, whose activity contains them. */
      collectionItemsAdded: ({ id, items }, now, effects) =>
        items.length === 1 && isShown(id, now) ? joined(here, { id, items }, now, effects) : undefined,
      collectionItemsPermitted: ({ id, items }, now, effects) =>
        isShown(id, now) ? joined(here, { id, items }, now, effects) : undefined,
      /** The server of an account that has left by itself, or that has refused, needs no message. */
      async collectionItemsRemoved({ id, items, forGood, refused }, now, effects) {
        const inboxes = isShown(id, now) ? await followersOf(here, now) : [];
        const left = forGood || refused === true;
        await parted(here, { id, items }, now, effects, inboxes, left);
      },
    },
  };
}

/** Returns the activity, from the addresses of the owner and of the collection. Undefined: nothing is left to say. */
type Render = (actor: string, collection: string) => Promise<Outgoing['activity'] | undefined>;
interface Places {
  /** Id of the collection. */
  readonly id: string;
  readonly items: Items;
}

/** Returns the inboxes of followers; none for an account of another server. */
async function followersOf({ tables }: Here, { self, state }: Now): Promise<readonly string[]> {
  const isFollowed = state.owner !== undefined && state.isFollowedElsewhere === true;
  return isFollowed ? inboxesOfFollowersOf(tables, self) : [];
}

async function tell(here: Here, id: string, now: Now, effects: Effects, render: Render): Promise<void> {
  const inboxes = await followersOf(here, now);
  if (inboxes.length === 0) return;
  const { actor, uri, outgoing } = from(here, id, now);
  const activity = await render(actor, uri);
  if (activity !== undefined) await queueActivity(here.tables, now, effects, { activity, inboxes, ...outgoing });
}

/** Tells the followers' servers of accounts that are in a collection now. */
async function joined(here: Here, { id, items }: Places, now: Now, effects: Effects): Promise<void> {
  const known = now.state.collections.get(id);
  const there = await shownIn(
    here,
    items.filter((item) => known?.items.has(item.id)),
  );
  for (const one of there)
    await tell(here, id, now, effects, async (actor, uri) =>
      addFeaturedActivity(actor, uri, featuredItemDocument(here.baseUrl, uri, one), `${now.seq}`),
    );
}

/**
 * Tells servers of accounts that are not in a collection any more: those of followers if the place was shown, and the
 * account's own one, which was asked. `left`: the account's own server has ended the place.
 */
async function parted(
  here: Here,
  { id, items }: Places,
  now: Now,
  effects: Effects,
  followers: readonly string[],
  left = false,
): Promise<void> {
  if (now.state.owner === undefined) return;
  const { actor, uri, outgoing } = from(here, id, now);
  for (const [place, { id: item, account, pending, stampUri }] of items.entries()) {
    const inboxes = new Set(pending === true ? [] : followers);
    const isAsked = pending === true || stampUri !== undefined;
    const remote = isAsked && !left ? (await here.tables.get(accounts, { account }))?.remote : undefined;
    if (remote?.gone === false && !inboxes.has(sharedInboxOf(remote))) inboxes.add(remote.inbox);
    if (inboxes.size === 0) continue;
    const activity = removeFeaturedActivity(actor, uri, item);
    await queueActivity(here.tables, now, effects, { activity, inboxes: [...inboxes], ...outgoing }, place);
  }
}

function from({ baseUrl }: Here, id: string, { self, state }: Now) {
  const owner = { username: state.owner?.username ?? '' };
  const [actor, uri] = [accountUri(baseUrl, owner), collectionUri(baseUrl, owner, id)];
  return { actor, uri, outgoing: { signer: { id: self, uri: actor }, order: orderOf(self, uri) } };
}

/** Activities about one collection reach an inbox one after the other. */
export const orderOf = (owner: string, collection: string): string => `feature ${owner} ${collection}`;

/** Returns the collection as it is now; undefined if it was deleted meanwhile. */
async function documentOf(here: Here, id: string, { self, state }: Now) {
  const known = state.collections.get(id);
  if (known === undefined || state.owner === undefined) return undefined;
  const collection = collectionOf(self, id, known);
  return featuredCollectionDocument(here.baseUrl, collection, state.owner, await shownIn(here, collection.items));
}

/** Returns the accounts that everybody may see in a collection. */
async function shownIn({ tables }: Here, items: Items): Promise<readonly FeaturedAccount[]> {
  const records = await tables.getMany(
    accounts,
    items.map(({ account }) => ({ account })),
  );
  return items.flatMap(({ id, createdAtMs: atMs, stampUri, pending }, index) => {
    const account = records[index];
    const isShown = account !== undefined && isThere(account) && pending !== true;
    return isShown && (isLocal(account) || stampUri !== undefined) ? [{ id, account, atMs, stampUri }] : [];
  });
}
