import { accounts, statuses } from '../../store/tables.js';
import { announcements } from '../account/announcements.js';
import { block } from '../account/block.js';
import { collections } from '../account/collections.js';
import type { AccountCommands, AccountEvents, AccountState } from '../account/commands.js';
import { directs } from '../account/directs.js';
import { domainBlocks } from '../account/domain-blocks.js';
import { endorse } from '../account/endorse.js';
import { featureConsent } from '../account/feature-consent.js';
import { featuredTags } from '../account/featured-tags.js';
import { filters } from '../account/filters.js';
import { follow } from '../account/follow.js';
import { followedTags } from '../account/followed-tags.js';
import { followers } from '../account/followers.js';
import { home } from '../account/home.js';
import { indexing } from '../account/indexing.js';
import { lists } from '../account/lists.js';
import { markers } from '../account/markers.js';
import { media } from '../account/media.js';
import { moderation } from '../account/moderation.js';
import { mute } from '../account/mute.js';
import { quietConversations } from '../account/muted-conversations.js';
import { notificationPolicy, POLICY_AT_FIRST } from '../account/notification-policy.js';
import { notify } from '../account/notify.js';
import { personalNotes } from '../account/personal-notes.js';
import { pin } from '../account/pin.js';
import { post } from '../account/post.js';
import { emptyProfile, profile } from '../account/profile.js';
import { purge } from '../account/purge.js';
import { push } from '../account/push.js';
import { recovery } from '../account/recovery.js';
import { register } from '../account/register.js';
import { relationEvents, relations } from '../account/relations.js';
import { scheduled } from '../account/scheduled.js';
import { subscribers } from '../account/subscribers.js';
import { endingSuggestions, suggestions } from '../account/suggestions.js';
import { tallied } from '../account/tally.js';
import { session } from '../account/tokens.js';
import { problem } from '../domain/problem.js';
import { type AccountSurroundings, accountReactions } from '../reactions/account/account.js';
import type { ActorKind } from '../runtime/kind.js';
import type { Slice } from '../runtime/slice.js';

export function initialAccount(id: string): AccountState {
  return {
    id,
    owner: undefined,
    profile: emptyProfile,
    indexingRound: 0,
    tokens: new Map(),
    codes: new Map(),
    following: new Map(),
    requests: new Map(),
    followers: 0,
    recentFollowers: new Map(),
    blocking: new Map(),
    blockedBy: new Set(),
    muting: new Map(),
    mutedConversations: new Set(),
    lists: new Map(),
    collections: new Map(),
    filters: new Map(),
    followedTags: new Map(),
    notes: new Map(),
    endorsed: new Map(),
    blockedDomains: new Map(),
    featuredTags: new Map(),
    tagUses: new Map(),
    endedSuggestions: new Map(),
    relationsVersion: 1,
    announcements: new Map(),
    passwordReset: undefined,
    confirmationSentAtMs: 0,
    moderation: { silenced: false, sensitized: false, suspendedAtMs: 0, deleted: false },
    pins: [],
    scheduled: new Map(),
    statuses: 0,
    directStatuses: 0,
    lastStatusAtMs: 0,
    tallied: [],
    joinedDay: undefined,
    uploads: new Map(),
    taken: new Map(),
    held: new Map(),
    recentNotices: new Map(),
    recentFiltered: new Map(),
    recentDismissals: new Set(),
    unswept: [],
    lastNotificationId: undefined,
    clearedUpToId: undefined,
    unmarkedNotices: 0,
    milestones: [],
    policy: POLICY_AT_FIRST,
    waiting: new Map(),
    permitted: new Set(),
    subscribers: new Set(),
    markers: new Map(),
    pushes: new Map(),
    directs: new Map(),
  };
}

/** All that an account decides by its state alone. */
type AccountSlice = Slice<AccountState, Omit<AccountCommands, 'home'>, AccountEvents>;

const decide: AccountSlice['decide'] = {
  ...register.decide,
  ...session.decide,
  ...moderation.decide,
  ...purge.decide,
  ...announcements.decide,
  ...recovery.decide,
  ...profile.decide,
  ...indexing.decide,
  ...domainBlocks.decide,
  ...endorse.decide,
  ...featuredTags.decide,
  ...filters.decide,
  ...personalNotes.decide,
  ...follow.decide,
  ...followers.decide,
  ...block.decide,
  ...mute.decide,
  ...quietConversations.decide,
  ...lists.decide,
  ...collections.decide,
  ...featureConsent.decide,
  ...followedTags.decide,
  ...media.decide,
  ...suggestions.decide,
  ...relations.decide,
  ...pin.decide,
  ...post.decide,
  ...scheduled.decide,
  ...notify.decide,
  ...notificationPolicy.decide,
  ...subscribers.decide,
  ...markers.decide,
  ...push.decide,
  ...directs.decide,
};

/** All slices of an account as one. Until it is registered, an account knows only how to be asked about and registered. */
export const accountSlice: AccountSlice = {
  decide: registeredOnly(decide),
  apply: tallied(
    versioned({
      ...register.apply,
      ...session.apply,
      ...moderation.apply,
      ...purge.apply,
      ...announcements.apply,
      ...recovery.apply,
      ...profile.apply,
      ...indexing.apply,
      ...domainBlocks.apply,
      ...endorse.apply,
      ...featuredTags.apply,
      ...filters.apply,
      ...personalNotes.apply,
      ...follow.apply,
      ...followers.apply,
      ...block.apply,
      ...mute.apply,
      ...quietConversations.apply,
      ...lists.apply,
      ...collections.apply,
      ...followedTags.apply,
      ...suggestions.apply,
      ...pin.apply,
      ...media.apply,
      ...post.apply,
      ...scheduled.apply,
      ...notify.apply,
      ...notificationPolicy.apply,
      ...subscribers.apply,
      ...markers.apply,
      ...push.apply,
      ...directs.apply,
    }),
  ),
};

/** The kind of actor that stands for one person: all its slices as one. */
export function accountKind(around: AccountSurroundings): ActorKind<AccountState, AccountCommands, AccountEvents> {
  const timeline = home(around.rings);
  return {
    name: 'account',
    initial: initialAccount,
    slice: { decide: { ...accountSlice.decide, ...timeline.decide }, apply: accountSlice.apply },
    commands: {
      ...register.commands,
      ...session.commands,
      ...moderation.commands,
      ...purge.commands,
      ...announcements.commands,
      ...recovery.commands,
      ...profile.commands,
      ...indexing.commands,
      ...domainBlocks.commands,
      ...endorse.commands,
      ...featuredTags.commands,
      ...filters.commands,
      ...personalNotes.commands,
      ...follow.commands,
      ...followers.commands,
      ...block.commands,
      ...mute.commands,
      ...quietConversations.commands,
      ...lists.commands,
      ...collections.commands,
      ...featureConsent.commands,
      ...followedTags.commands,
      ...media.commands,
      ...suggestions.commands,
      ...relations.commands,
      ...timeline.commands,
      ...pin.commands,
      ...post.commands,
      ...scheduled.commands,
      ...notify.commands,
      ...notificationPolicy.commands,
      ...subscribers.commands,
      ...markers.commands,
      ...push.commands,
      ...directs.commands,
    },
    events: {
      ...register.events,
      ...session.events,
      ...moderation.events,
      ...purge.events,
      ...announcements.events,
      ...recovery.events,
      ...profile.events,
      ...indexing.events,
      ...domainBlocks.events,
      ...endorse.events,
      ...featuredTags.events,
      ...filters.events,
      ...personalNotes.events,
      ...follow.events,
      ...followers.events,
      ...block.events,
      ...mute.events,
      ...quietConversations.events,
      ...lists.events,
      ...collections.events,
      ...followedTags.events,
      ...suggestions.events,
      ...pin.events,
      ...media.events,
      ...post.events,
      ...scheduled.events,
      ...notify.events,
      ...notificationPolicy.events,
      ...subscribers.events,
      ...markers.events,
      ...push.events,
      ...directs.events,
    },
    forgets,
    overlaps,
    takeAway,
    stateVersion: 22,
    once: ['exchangeCode'],
    remembered: [
      'post',
      'schedule',
      'addMedia',
      'removeMedia',
      'createList',
      'deleteList',
      'addToList',
      'saveFilter',
      'removeFilter',
      'savePhrase',
      'saveKeyword',
      'removeKeyword',
      'addFilteredStatus',
      'removeFilteredStatus',
      'createCollection',
      'deleteCollection',
      'addToCollection',
      'removeFromCollection',
      'unschedule',
      'unfeatureTag',
      'deleteDirect',
      'confirmEmail',
      'resetPassword',
      'changePassword',
    ],
    queries: [
      'scheduledOne',
      'scheduledPage',
      'announcementMarks',
      'credentials',
      'judgeReset',
      'relations',
      'sources',
      'screen',
      'endorsements',
      'following',
      'domainBlocks',
      'featuredTags',
      'home',
      'followRequests',
      'blocks',
      'mutes',
      'lists',
      'list',
      'listMembers',
      'collections',
      'featureConsent',
      'notificationPolicy',
      'notificationRequests',
      'notificationRequest',
      'markers',
      'pushSubscription',
      'directs',
      'followedTags',
      'endedSuggestions',
    ],
    shows: {
      post: (account, _post, { id }) => [
        { table: accounts, key: { account } },
        { table: statuses, key: { status: id } },
      ],
      follow: (account) => [{ table: accounts, key: { account } }],
      unfollow: (account) => [{ table: accounts, key: { account } }],
    },
    reactions: accountReactions(around),
  };
}

/**
 * Of the events that come in numbers: not those that tell somebody something behind what they wait for, as a post with
 * a quote or with followers who asked for news does, or an answer to who asked to follow.
 */
function overlaps(type: string, event: object, state: Readonly<AccountState>): boolean {
  switch (type) {
    case 'posted':
      return (event as AccountEvents['posted']).quote === undefined && state.subscribers.size === 0;
    case 'followed':
      return true;
    case 'followerAdded':
      return !(event as AccountEvents['followerAdded']).answer;
    case 'notified':
      return OVERLAPPING_NOTICES.has((event as AccountEvents['notified']).kind);
    case 'statusCounted':
      return true;
    default:
      return false;
  }
}

/** What an owner takes back, a word of a filter and an empty note included; and the end of an account, of a refused one too. */
const forgets: readonly (keyof AccountEvents & string)[] = [
  'collectionDeleted',
  'filterRemoved',
  'filterSaved',
  'listDeleted',
  'mediaRemoved',
  'noteWritten',
  'purged',
  'somePurged',
  'statusUncounted',
  'unregistered',
  'unscheduled',
];

/** What ends with these, or is shown otherwise, must not be seen as before on any node once they are answered. */
const takeAway: readonly (keyof AccountEvents & string)[] = [
  'blocked',
  'blockReceived',
  'collectionDeleted',
  'collectionItemsRemoved',
  'collectionUpdated',
  'conversationMuted',
  'domainBlocked',
  'filterSaved',
  'followAnswered',
  'listDeleted',
  'listMembersRemoved',
  'listUpdated',
  'moderated',
  'muted',
  'profileUpdated',
  'purged',
  'statusUncounted',
  'tagUnfollowed',
  'tokenRevoked',
  'unfollowed',
  'unregistered',
];

/** Of many people at once; they are rows and news for streams, and no mail. */
const OVERLAPPING_NOTICES = new Set(['follow', 'favourite', 'reblog', 'mention']);

/** Each change of the relations moves their version on, and some end suggestions. */
function versioned(slices: AccountSlice['apply']): AccountSlice['apply'] {
  const apply = endingSuggestions(slices);
  const moved = relationEvents.map((type) => {
    const own = apply[type] as (state: AccountState, event: never, atMs: number) => void;
    const next = (state: AccountState, event: never, atMs: number) => {
      own(state, event, atMs);
      state.relationsVersion += 1;
    };
    return [type, next] as const;
  });
  return { ...apply, ...Object.fromEntries(moved) };
}

function registeredOnly(all: AccountSlice['decide']): AccountSlice['decide'] {
  const guard = (name: string, own: (...parts: never[]) => unknown) => {
    if (name === 'register' || name === 'credentials') return own;
    return (state: AccountState, command: never, ctx: never) =>
      state.owner === undefined ? problem('not_found', 'Record not found') : own(state as never, command, ctx);
  };
  return Object.fromEntries(
    Object.entries(all).map(([name, own]) => [name, guard(name, own)]),
  ) as unknown as typeof all;
}
