import type { AnySlice, CommandsOf, EventsOf, StateOf } from '../runtime/slice.js';
import { LazyMap, LazySet } from '../runtime/state/lazy-collections.js';
import { announcements } from './announcements.js';
import { block } from './block.js';
import { collections } from './collections.js';
import { directs } from './directs.js';
import { domainBlocks } from './domain-blocks.js';
import { emailChange } from './email-change.js';
import { endorse } from './endorse.js';
import { featureConsent } from './feature-consent.js';
import { featuredElsewhere } from './featured-elsewhere.js';
import { featuredTags } from './featured-tags.js';
import { filters } from './filters.js';
import { follow } from './follow.js';
import { followedTags } from './followed-tags.js';
import { followers } from './followers.js';
import type * as home from './home.js';
import { indexing } from './indexing.js';
import { invites } from './invites.js';
import { lists } from './lists.js';
import { locale } from './locale.js';
import { markers } from './markers.js';
import { media } from './media.js';
import { moderation } from './moderation.js';
import { moderationNotes } from './moderation-notes.js';
import { moves, NO_MOVES } from './moves.js';
import { mute } from './mute.js';
import { mutedConversations } from './muted-conversations.js';
import { notificationPolicy, POLICY_AT_FIRST } from './notification-policy.js';
import { notify } from './notify.js';
import { ownApps } from './own-apps.js';
import { ownerMail } from './owner-mail.js';
import { passkeys } from './passkeys.js';
import { permittedPlaces } from './permitted-places.js';
import { personalNotes } from './personal-notes.js';
import { pin } from './pin.js';
import { post } from './post.js';
import { emptyProfile, profile } from './profile.js';
import { purge } from './purge.js';
import { push } from './push.js';
import { recovery } from './recovery.js';
import { register } from './register.js';
import { relations } from './relations.js';
import { remote } from './remote.js';
import { remoteCollections } from './remote-collections.js';
import { scheduled } from './scheduled.js';
import { secondFactor } from './second-factor.js';
import { signIns } from './sign-ins.js';
import { subscribers } from './subscribers.js';
import { suggestions } from './suggestions.js';
import type { State as TallyState } from './tally.js';
import { tokens } from './tokens.js';

/** The slices of an account: a new one is its file and its line here. The kind adds `home`, which has a cache. */
export const accountSlices = [
  register,
  remote,
  moves,
  tokens,
  moderation,
  moderationNotes,
  purge,
  announcements,
  recovery,
  emailChange,
  secondFactor,
  passkeys,
  invites,
  ownApps,
  signIns,
  ownerMail,
  locale,
  profile,
  indexing,
  domainBlocks,
  endorse,
  featuredTags,
  filters,
  personalNotes,
  follow,
  followers,
  block,
  mute,
  mutedConversations,
  lists,
  collections,
  permittedPlaces,
  remoteCollections,
  featureConsent,
  featuredElsewhere,
  followedTags,
  media,
  suggestions,
  relations,
  pin,
  post,
  scheduled,
  notify,
  notificationPolicy,
  subscribers,
  markers,
  push,
  directs,
] as const;

type Slices = typeof accountSlices;

/** All commands of an account actor. */
export type AccountCommands = CommandsOf<Slices> & home.Commands;
/** All events in an account actor's journal. */
export type AccountEvents = EventsOf<Slices>;
export type AccountState = StateOf<Slices> & TallyState & { readonly id: string };

/** The events that change what the account may see, or the authors in its timelines. */
export const relationEvents = (accountSlices as readonly AnySlice[]).flatMap(({ events }) =>
  Object.entries(events).flatMap(([name, { changesRelations }]) =>
    changesRelations ? [name as keyof AccountEvents] : [],
  ),
);

/** Returns the state before the first event. One literal for all slices gives V8 a fixed layout. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it has one line for each part of the state.
export const initialAccount = (id: string): AccountState => ({
  id,
  owner: undefined,
  origin: undefined,
  received: new LazyMap(),
  moves: NO_MOVES,
  profile: emptyProfile,
  indexingRound: 0,
  tokens: new LazyMap(),
  codes: new LazyMap(),
  following: new LazyMap(),
  requests: new LazyMap(),
  followers: 0,
  recentFollowers: new LazyMap(),
  blocking: new LazyMap(),
  blockedBy: new LazySet(),
  muting: new LazyMap(),
  mutedConversations: new LazySet(),
  lists: new LazyMap(),
  collections: new LazyMap(),
  featuredElsewhere: new LazyMap(),
  filters: new LazyMap(),
  followedTags: new LazyMap(),
  notes: new LazyMap(),
  endorsed: new LazyMap(),
  blockedDomains: new LazyMap(),
  featuredTags: new LazyMap(),
  tagUses: new LazyMap(),
  endedSuggestions: new LazyMap(),
  relationsVersion: 1,
  announcements: new LazyMap(),
  passwordReset: undefined,
  emailChange: undefined,
  confirmedEmailChange: undefined,
  otp: undefined,
  passkeys: new LazyMap(),
  invites: new LazyMap(),
  ownApps: new LazyMap(),
  confirmationSentAtMs: 0,
  emailChangedAtMs: 0,
  signUpRepeatedAtMs: 0,
  signInAddresses: new LazySet(),
  signInBrowsers: new LazySet(),
  endedMails: new LazySet(),
  moderation: { silenced: false, sensitized: false, suspendedAtMs: 0, deleted: false, memorial: false },
  moderationNotes: undefined,
  pins: [],
  scheduled: new LazyMap(),
  statuses: 0,
  directStatuses: 0,
  lastStatusAtMs: 0,
  tallied: [],
  joinedDay: undefined,
  uploads: new LazyMap(),
  taken: new LazyMap(),
  held: new LazyMap(),
  recentNotices: new LazyMap(),
  recentFiltered: new LazyMap(),
  recentDismissals: new LazySet(),
  unswept: [],
  lastNotificationId: undefined,
  clearedUpToId: undefined,
  unmarkedNotices: 0,
  milestones: [],
  policy: POLICY_AT_FIRST,
  waiting: new LazyMap(),
  permitted: new LazySet(),
  subscribers: new LazySet(),
  markers: new LazyMap(),
  pushes: new LazyMap(),
  directs: new LazyMap(),
});
