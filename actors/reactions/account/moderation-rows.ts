import { EVERY_DOMAIN, remoteAccountListings } from '../../../store/federation-tables.js';
import { accountLimits, accountListings, auditLog, moderationNotes, staff } from '../../../store/moderation-tables.js';
import { put, type RowWrite, remove } from '../../../store/port.js';
import { accounts } from '../../../store/tables.js';
import type { AccountEvents, AccountState } from '../../account/slices.js';
import { eraOfId } from '../../domain/ids.js';
import { publicLane } from '../../domain/public.js';
import type { Happened, Reaction } from '../../runtime/kind.js';
import { tallyWrites } from './tally-rows.js';

type AccountRow = (state: Readonly<AccountState>) => RowWrite;
type On = Reaction<AccountState, AccountEvents>['on'];

const listingKey = (account: string) => ({ era: eraOfId(account), lane: publicLane(account), account });

/** Returns the rows of an account of another server in the lists of all accounts. */
export function remoteListings({ id, origin, moderation }: Readonly<AccountState>): RowWrite[] {
  if (origin === undefined) return [];
  return [EVERY_DOMAIN, origin.domain].map((domain) => {
    const key = { domain, ...listingKey(id) };
    return moderation.deleted
      ? remove(remoteAccountListings, key)
      : put(remoteAccountListings, key, { atMs: origin.knownSinceMs });
  });
}

/**
 * Returns the rows about the account's standing, from the current state, so that a repeated effect ends with the
 * correct rows.
 */
export function ownRows({ self, state, atMs }: Happened<AccountState>, accountRow: AccountRow): RowWrite[] {
  const { owner, origin, moderation } = state;
  const own = { century: 0, account: self };
  const limit = { silenced: moderation.silenced, suspended: moderation.suspendedAtMs > 0 || moderation.deleted };
  const isLimited = limit.silenced || limit.suspended;
  const limits = isLimited ? put(accountLimits, own, limit) : remove(accountLimits, own);
  if (origin !== undefined) return [accountRow(state), limits, ...remoteListings(state)];
  const tallies = tallyWrites(state, atMs);
  if (owner === undefined) {
    return [
      ...tallies,
      remove(accounts, { account: self }),
      remove(accountListings, listingKey(self)),
      remove(accountLimits, own),
      remove(staff, own),
      remove(moderationNotes, { account: self }),
    ];
  }
  return [
    accountRow(state),
    ...tallies,
    put(accountListings, listingKey(self), { atMs: owner.createdAtMs }),
    limits,
    owner.role === 'user' ? remove(staff, own) : put(staff, own, { atMs: owner.createdAtMs }),
  ];
}

/** Returns the row of moderators' notes from the current state, and the entry of the audit log about the change. */
function noteRows(
  { self, state: { moderationNotes: notes = [] }, atMs }: Happened<AccountState>,
  { auditId, by, action }: { readonly auditId: string; readonly by: string; readonly action: string },
): RowWrite[] {
  const key = { account: self };
  return [
    notes.length === 0 ? remove(moderationNotes, key) : put(moderationNotes, key, { notes }),
    put(auditLog, { era: eraOfId(auditId), entry: auditId }, { by, action, target: self, detail: '', atMs }),
  ];
}

/** Additional rows of a new account, and of one that was rejected. */
interface MoreRows {
  readonly added: (state: Readonly<AccountState>) => RowWrite[];
  readonly gone: (account: string) => Promise<RowWrite[]>;
}

/** Rows of the account itself, of the list of all accounts, and of moderators' decisions. */
export const moderationRows = (accountRow: AccountRow, more: MoreRows): On => ({
  registered(_event, { self, state, atMs }, effects) {
    const { owner } = state;
    if (owner === undefined) return undefined;
    const listing = put(accountListings, listingKey(self), { atMs: owner.createdAtMs });
    const known = owner.role === 'user' ? [] : [put(staff, { century: 0, account: self }, { atMs: owner.createdAtMs })];
    return effects.write([accountRow(state), ...tallyWrites(state, atMs), listing, ...known, ...more.added(state)]);
  },
  async unregistered(_event, happened, effects) {
    await effects.write([...ownRows(happened, accountRow), ...(await more.gone(happened.self))]);
  },
  moderationNoteAdded: ({ id, by }, happened, effects) =>
    effects.write(noteRows(happened, { auditId: id, by, action: 'note' })),
  moderationNoteRemoved: ({ by, auditId }, happened, effects) =>
    effects.write(noteRows(happened, { auditId, by, action: 'remove note' })),
  async moderated({ action, by, text, auditId, atMs }, happened, effects) {
    const audit = { by, action, target: happened.self, detail: text, atMs };
    const { owner, origin } = happened.state;
    const gone = owner === undefined && origin === undefined ? await more.gone(happened.self) : [];
    await effects.write([
      ...ownRows(happened, accountRow),
      ...gone,
      put(auditLog, { era: eraOfId(auditId), entry: auditId }, audit),
    ]);
  },
});
