import type * as announcements from './announcements.js';
import type * as block from './block.js';
import type * as collections from './collections.js';
import type * as directs from './directs.js';
import type * as domainBlocks from './domain-blocks.js';
import type * as endorse from './endorse.js';
import type * as featureConsent from './feature-consent.js';
import type * as featuredTags from './featured-tags.js';
import type * as filters from './filters.js';
import type * as follow from './follow.js';
import type * as followedTags from './followed-tags.js';
import type * as followers from './followers.js';
import type * as home from './home.js';
import type * as indexing from './indexing.js';
import type * as lists from './lists.js';
import type * as markers from './markers.js';
import type * as media from './media.js';
import type * as moderation from './moderation.js';
import type * as mute from './mute.js';
import type * as quietConversations from './muted-conversations.js';
import type * as policy from './notification-policy.js';
import type * as notify from './notify.js';
import type * as personalNotes from './personal-notes.js';
import type * as pin from './pin.js';
import type * as post from './post.js';
import type * as profile from './profile.js';
import type * as purge from './purge.js';
import type * as push from './push.js';
import type * as recovery from './recovery.js';
import type * as register from './register.js';
import type * as relations from './relations.js';
import type * as scheduled from './scheduled.js';
import type * as standing from './standing.js';
import type * as subscribers from './subscribers.js';
import type * as suggestions from './suggestions.js';
import type * as tally from './tally.js';
import type * as session from './tokens.js';

/** Everything one can ask of an account actor. */
export interface AccountCommands
  extends register.Commands,
    session.Commands,
    moderation.Commands,
    purge.Commands,
    announcements.Commands,
    recovery.Commands,
    profile.Commands,
    indexing.Commands,
    domainBlocks.Commands,
    endorse.Commands,
    featuredTags.Commands,
    filters.Commands,
    personalNotes.Commands,
    follow.Commands,
    followers.Commands,
    block.Commands,
    mute.Commands,
    quietConversations.Commands,
    lists.Commands,
    collections.Commands,
    featureConsent.Commands,
    followedTags.Commands,
    media.Commands,
    suggestions.Commands,
    relations.Commands,
    home.Commands,
    pin.Commands,
    post.Commands,
    scheduled.Commands,
    notify.Commands,
    policy.Commands,
    subscribers.Commands,
    markers.Commands,
    push.Commands,
    directs.Commands {}

/** Everything that an account actor's journal holds. */
export interface AccountEvents
  extends register.Events,
    session.Events,
    moderation.Events,
    purge.Events,
    announcements.Events,
    recovery.Events,
    profile.Events,
    indexing.Events,
    domainBlocks.Events,
    endorse.Events,
    featuredTags.Events,
    filters.Events,
    personalNotes.Events,
    follow.Events,
    followers.Events,
    block.Events,
    mute.Events,
    quietConversations.Events,
    lists.Events,
    collections.Events,
    followedTags.Events,
    suggestions.Events,
    pin.Events,
    media.Events,
    post.Events,
    scheduled.Events,
    notify.Events,
    policy.Events,
    subscribers.Events,
    markers.Events,
    push.Events,
    directs.Events {}

export interface AccountState
  extends register.State,
    session.State,
    standing.State,
    announcements.State,
    recovery.State,
    indexing.State,
    followers.State,
    post.State,
    tally.State,
    suggestions.State,
    scheduled.State,
    notify.State,
    markers.State,
    push.State,
    directs.State,
    collections.State {
  readonly id: string;
}
