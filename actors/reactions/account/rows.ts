import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import { put, type ReadTables, type RowWrite, remove, type Tables } from '../../../store/port.js';
import { clientTokens, tokenUses } from '../../../store/sign-in-tables.js';
import { accounts, apps, followers, following, tokens } from '../../../store/tables.js';
import type { AccountEvents, AccountState } from '../../account/slices.js';
import type { Origin } from '../../account/standing.js';
import { eraOfId } from '../../domain/ids.js';
import type { Effects, Happened, Reaction } from '../../runtime/kind.js';
import { namelessRows, nameRows, newNameRows, statusWordRows, unindexedRows } from '../word-rows.js';
import { endApp } from './app-tokens.js';
import { collectionRows } from './collection-rows.js';
import { moderationRows, ownRows } from './moderation-rows.js';
import { notificationRows } from './notification-rows.js';
import { remoteRows } from './remote-rows.js';
import { tallyWrites } from './tally-rows.js';

type On = Reaction<AccountState, AccountEvents>['on'];

/**
 * Counts of accounts that follow more than COUNTED_EACH_TIME_MAX, by state: the row is written with each status. Entries
 * of a WeakMap make garbage collection longer, so accounts that follow fewer have none.
 */
const counted = new WeakMap<object, { readonly relationsVersion: number; readonly count: number }>();
const COUNTED_EACH_TIME_MAX = 64;

function followingCount(state: Readonly<AccountState>): number {
  const { relationsVersion, following } = state;
  if (following.size <= COUNTED_EACH_TIME_MAX) return countFollowed(following);
  const known = counted.get(state);
  if (known?.relationsVersion === relationsVersion) return known.count;
  const count = countFollowed(following);
  counted.set(state, { relationsVersion, count });
  return count;
}

function countFollowed(following: AccountState['following']): number {
  let count = 0;
  for (const edge of following.values()) if (!edge.pending) count += 1;
  return count;
}

const NO_PINS: readonly string[] = [];

/** Returns the record that others read, with the layout of decoded rows (Codec.copy). */
export function accountRecord(state: Readonly<AccountState>): StoreAccountRecord {
  const { owner, profile, origin } = state;
  const record = {
    id: state.id,
    username: owner?.username ?? '',
    domain: '',
    profile,
    createdAtMs: owner?.createdAtMs ?? 0,
    followers: state.followers,
    following: followingCount(state),
    statuses: Math.max(0, state.statuses),
    lastStatusAtMs: state.lastStatusAtMs,
    role: owner?.role ?? '',
    confirmed: owner?.confirmed ?? false,
    approved: owner?.approved ?? false,
    disabled: owner?.disabled ?? false,
    email: owner?.email ?? '',
    locale: owner?.locale ?? '',
    followRequests: state.requests.size,
    clientId: owner?.clientId,
    pinnedIds: state.pins.length === 0 ? NO_PINS : [...state.pins],
    silenced: state.moderation.silenced,
    sensitized: state.moderation.sensitized,
    suspendedAtMs: state.moderation.suspendedAtMs,
    reason: owner?.reason,
    signUpAddress: owner?.signUpAddress,
    removed: state.moderation.deleted,
    directStatuses: state.directStatuses > 0 ? state.directStatuses : undefined,
    notificationsClearedUpTo: state.clearedUpToId,
    origin: undefined,
    undelivered: owner?.undelivered,
    remote: undefined,
    aliases: state.moves.aliases.length > 0 ? { uris: state.moves.aliases } : undefined,
    movedTo: state.moves.movedTo,
    followedElsewhere: state.isFollowedElsewhere,
    invitedBy: owner?.invitedBy,
    memorial: state.moderation.memorial === true ? true : undefined,
  };
  return origin === undefined ? record : remoteRecord(record, origin);
}

/** Returns the record of an account of another server. Its numbers are those known here; `remote` has the reported. */
function remoteRecord(record: StoreAccountRecord, { actor, ...names }: Origin): StoreAccountRecord {
  const { uri, url, publishedMs } = actor;
  return {
    ...record,
    username: names.username,
    domain: names.domain,
    createdAtMs: publishedMs > 0 ? Math.min(publishedMs, names.knownSinceMs) : names.knownSinceMs,
    // Others see it like a confirmed account of this server.
    confirmed: true,
    approved: true,
    role: 'user',
    origin: { uri, url },
    remote: actor,
  };
}

const accountRow = (state: Readonly<AccountState>) => put(accounts, { account: state.id }, accountRecord(state));

/** Returns the account's row, and its share in the totals of the instance. */
const countedRows = (state: Readonly<AccountState>, eventMs: number): RowWrite[] => [
  accountRow(state),
  // Totals of the instance count its own accounts.
  ...(state.origin === undefined ? tallyWrites(state, eventMs) : []),
];

const writeCounted = (_event: object, { state, atMs }: Happened<AccountState>, effects: Effects) =>
  effects.write(countedRows(state, atMs));

const writeAccount = (_event: object, { state }: Happened<AccountState>, effects: Effects) =>
  effects.write([accountRow(state)]);

/** Writes the row of a follow from the current state, so that a repeated effect ends with the correct row. */
function writeFollow(
  { target }: { readonly target: string },
  { state, self }: Happened<AccountState>,
  effects: Effects,
) {
  const edge = state.following.get(target);
  const key = { account: self, target };
  return effects.write([edge === undefined ? remove(following, key) : put(following, key, edge), accountRow(state)]);
}

const ownFollows: On = { followed: writeFollow, unfollowed: writeFollow, followAnswered: writeFollow };

const ownFollowers: On = {
  followerAdded({ follower, edgeId, atMs }, { self, state }, effects) {
    const key = { account: self, era: eraOfId(edgeId), edge: edgeId };
    return effects.write([put(followers, key, { accountId: follower, atMs }), accountRow(state)]);
  },
  followerRemoved({ edgeId }, { self, state }, effects) {
    const key = { account: self, era: eraOfId(edgeId), edge: edgeId };
    return effects.write([remove(followers, key), accountRow(state)]);
  },
};

const ownTokens = (tables: Pick<ReadTables, 'get'>): On => ({
  tokenIssued({ tokenHash, clientId, scopes, kind, atMs, browser }, { self, state }, effects) {
    // An effect that is repeated after the revocation must not restore the token.
    if (!state.tokens.has(tokenHash)) return undefined;
    const record = { accountId: self, clientId, scopes, kind, atMs, ...(browser !== undefined && { browser }) };
    const index =
      kind === 'access' ? [put(clientTokens, { client: clientId, account: self, hash: tokenHash }, {})] : [];
    return effects.write([put(tokens, { hash: tokenHash }, record), ...index]);
  },
  async tokenRevoked({ tokenHash: hash }, { self: account }, effects) {
    const record = await tables.get(tokens, { hash });
    const index = record && remove(clientTokens, { client: record.clientId, account, hash });
    await effects.write([
      remove(tokens, { hash }),
      remove(tokenUses, { hash }),
      ...(index === undefined ? [] : [index]),
    ]);
  },
});

/** Writes the row of an application from the current state, so that a repeated effect ends with the correct row. */
const ownAppRows = (tables: Pick<Tables, 'range' | 'write'>): On => {
  const write = (
    { clientId: client }: { readonly clientId: string },
    { state }: Happened<AccountState>,
    effects: Effects,
  ) => {
    const own = state.ownApps.get(client);
    return own === undefined ? endApp(tables, client, effects) : effects.write([put(apps, { client }, own)]);
  };
  return { ownAppSaved: write, ownAppDeleted: write };
};

/** Writes the rows after a status was deleted, and removes it from the search index. */
async function writeGone(
  tables: Pick<ReadTables, 'range'>,
  { id }: { readonly id: string },
  { state, atMs }: Happened<AccountState>,
  effects: Effects,
): Promise<void> {
  await effects.write([...countedRows(state, atMs), ...(await unindexedRows(tables, id))]);
}

/** Rows of the account: its record, follows, followers, tokens and notifications. */
export function accountRows(
  tables: Pick<Tables, 'get' | 'range' | 'removeRange' | 'write'>,
): Reaction<AccountState, AccountEvents> {
  return {
    surface: 'rows',
    beforeReply: true,
    on: {
      ...moderationRows(accountRow, { added: newNameRows, gone: (id) => namelessRows(tables, id) }),
      emailConfirmed: writeCounted,
      confirmationResent: writeAccount,
      confirmationWithheld: writeAccount,
      emailChanged: writeAccount,
      localeChosen: writeAccount,
      async profileUpdated(_event, { state }, effects) {
        await effects.write([accountRow(state), ...(await nameRows(tables, state))]);
      },
      async purged(_event, happened, effects) {
        await effects.write([...ownRows(happened, accountRow), ...(await nameRows(tables, happened.state))]);
      },
      ...remoteRows(tables, accountRow),
      linkVerified: writeAccount,
      aliasesSet: writeAccount,
      moved: writeAccount,
      moveEnded: writeAccount,
      undelivered: writeAccount,
      followRequested: writeAccount,
      followRequestRemoved: writeAccount,
      posted(event, happened, effects) {
        if (!happened.state.profile.indexable) return writeCounted(event, happened, effects);
        return effects.write([...countedRows(happened.state, happened.atMs), ...statusWordRows(happened.self, event)]);
      },
      pinned: writeAccount,
      unpinned: writeAccount,
      statusCounted: writeCounted,
      statusUncounted: (event, happened, effects) => writeGone(tables, event, happened, effects),
      ...ownFollows,
      ...ownFollowers,
      ...ownTokens(tables),
      ...ownAppRows(tables),
      ...collectionRows,
      ...notificationRows(tables, accountRow),
    },
  };
}
