import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Ctx, Decision, Recorded, Slice } from '../runtime/slice.js';
import { type Events as CollectionEvents, type State as CollectionState, collectionsEnded } from './collections.js';
import type { State as EmailState } from './email-change.js';
import { POLICY_AT_FIRST, type PolicyState } from './notification-policy.js';
import { type Events as AppEvents, type State as AppState, ownAppsEnded } from './own-apps.js';
import type { State as PasskeyState } from './passkeys.js';
import type { State as PinState } from './pin.js';
import { emptyProfile, type State as ProfileState } from './profile.js';
import type { State as OtpState } from './second-factor.js';
import type { State as StandingState } from './standing.js';
import { revocations, type Events as SessionEvents, type State as SessionState } from './tokens.js';

export interface Commands {
  /** Sent for the owner, who has proved the password. */
  deleteAccount: { in: P.AccountEmpty; out: P.AccountEmpty };
  purgeSome: { in: P.AccountPurgeSome; out: P.AccountEmpty };
}
export interface Events {
  purged: P.AccountPurged;
  somePurged: P.AccountPurgeSome;
}
export type Ended = Pick<Events, 'purged'> &
  Pick<CollectionEvents, 'collectionDeleted'> &
  Pick<AppEvents, 'ownAppDeleted'>;
type Ending = Events & Ended & Pick<SessionEvents, 'tokenRevoked'>;

/** Collections of the state that only the owner can see. A deletion clears them. */
const BELONGINGS = [
  'lists',
  'filters',
  'followedTags',
  'notes',
  'endorsed',
  'featuredTags',
  'featuredElsewhere',
  'tagUses',
  'endedSuggestions',
  'muting',
  'mutedConversations',
  'blockedDomains',
  'scheduled',
  'held',
  'waiting',
  'permitted',
  'markers',
  'directs',
  'subscribers',
  'announcements',
  'codes',
  'invites',
  'signInAddresses',
  'signInBrowsers',
  'endedMails',
] as const;
type Belongings = Readonly<Record<(typeof BELONGINGS)[number], { clear(): void }>>;
export type State = SessionState &
  ProfileState &
  PolicyState &
  PinState &
  PasskeyState &
  CollectionState &
  AppState &
  EmailState &
  StandingState &
  OtpState &
  Belongings;

/** Time within which a suspension can be undone without loss of data. Source: Mastodon's DeletionRequest, 30 days. */
export const SUSPENSION_KEPT_MS = 30 * 86_400_000;
/** Subject of the alarm that purges a suspended account. */
export const PURGE_ALARM = 'purge';
/** Rows that one journal entry deletes. Bounds the effects of an entry. */
export const PURGED_AT_ONCE_MAX = 100;

const empty = codec('murmuration.account.Empty');

/**
 * The deletion of an account. Its profile is deleted at once, and its statuses and actions in steps. Its name stays
 * reserved.
 */
export const purge: Slice<State, Commands, Events, Ended & Pick<SessionEvents, 'tokenRevoked'>> = {
  decide: {
    deleteAccount(state, _command, { nowMs }) {
      if (state.moderation.deleted) return { events: [], reply: {} };
      return { events: [...revocations(state.tokens.keys()), ...ended(state, nowMs)], reply: {} };
    },
    purgeSome(state, some) {
      if (!state.moderation.deleted) return problem('forbidden', 'This action is not allowed');
      return { events: [{ type: 'somePurged', ...some }], reply: {} };
    },
  },
  apply: {
    purged(state) {
      const { owner } = state;
      if (owner !== undefined) {
        const unknown = { reason: undefined, signUpAddress: undefined, invitedBy: undefined, undelivered: undefined };
        state.owner = { ...owner, ...unknown, email: '', passwordHash: '', role: 'user' };
      }
      state.moderation.deleted = true;
      state.profile = emptyProfile;
      state.policy = POLICY_AT_FIRST;
      state.pins.length = 0;
      state.passwordReset = undefined;
      state.emailChange = undefined;
      state.confirmedEmailChange = undefined;
      state.otp = undefined;
      state.passkeys.clear();
      for (const own of BELONGINGS) state[own].clear();
    },
    somePurged() {},
  },
  commands: {
    deleteAccount: { in: empty, out: empty, repeats: 'idempotent', local: true },
    purgeSome: {
      in: codec('murmuration.account.PurgeSome'),
      out: empty,
      repeats: 'idempotent',
      local: true,
      remote: 'answers',
    },
  },
  events: {
    purged: { codec: codec('murmuration.account.Purged'), invalidates: true, forgets: true },
    somePurged: { codec: codec('murmuration.account.PurgeSome'), invalidates: false, forgets: true },
  },
};

/** Returns the events that delete the account for good. */
export function ended(state: Readonly<State>, nowMs: number): Recorded<Ended>[] {
  const { avatar, header } = state.profile;
  const dropped = [avatar, header].flatMap((name) => name || []);
  const purged = { type: 'purged', dropped, atMs: nowMs, recipient: lastRecipient(state) } as const;
  return [...collectionsEnded(state), ...ownAppsEnded(state), purged];
}

/** Returns what the events of an account's end say about its owner. */
export const recipientOf = ({ username, email, locale }: P.AccountRecipient): P.AccountRecipient => ({
  username,
  email,
  locale,
});

/** Returns the owner for the last mail of an account; undefined if the address was never confirmed. */
export function lastRecipient({ owner }: Readonly<State>): P.AccountRecipient | undefined {
  return owner?.confirmed === true && owner.email !== '' ? recipientOf(owner) : undefined;
}

/** Handles the alarm of a suspension. The alarm of a suspension that was undone is ignored. */
export function purgeDue(
  state: Readonly<State>,
  { atMs }: P.StoreAlarmCall,
  { nowMs }: Pick<Ctx, 'nowMs'>,
): Decision<Ending, P.AccountEmpty> {
  const { suspendedAtMs, deleted } = state.moderation;
  if (deleted || suspendedAtMs === 0 || suspendedAtMs + SUSPENSION_KEPT_MS !== atMs) return { events: [], reply: {} };
  if (nowMs < atMs) return problem('unavailable', 'It is not time yet');
  return { events: [...revocations(state.tokens.keys()), ...ended(state, nowMs)], reply: {} };
}
