import type { Tables } from '../../../store/port.js';
import type { AccountEvents, AccountState } from '../../account/slices.js';
import type { Reaction } from '../../runtime/kind.js';
import type { HomeRings } from '../../timelines/home-rings.js';
import { accountMediaFiles, accountMediaRows, type MediaFiles } from '../media.js';
import { accountNames } from '../names.js';
import { accountStream } from '../stream.js';
import { endedAppTokens } from './app-tokens.js';
import { federatedRelations } from './federation/federate.js';
import { federatedCollections } from './federation/federate-collections.js';
import { federatedFeatures } from './federation/federate-features.js';
import { federatedProfile, type ProfileFederation } from './federation/federate-profile.js';
import { domainParting } from './followers/domain-parting.js';
import { inboxesOfFollowers } from './followers/follower-inboxes.js';
import { movedFollowers } from './followers/moves.js';
import { indexedStatuses } from './indexing.js';
import { accountMail } from './mail.js';
import { moderationTells } from './moderation-tells.js';
import { clearedNotifications } from './notification-rows.js';
import { profileProofs } from './proof.js';
import { accountPurge, purgeAlarms } from './purge.js';
import { accountPushes } from './push.js';
import { accountRows } from './rows.js';
import { scheduledAlarms } from './scheduled.js';
import { signUpNotices } from './sign-up-notices.js';
import { accountNotices, accountTells } from './tells.js';
import { accountTimeline } from './timeline.js';

/** The dependencies of an account's effects. */
export interface AccountContext {
  /** Address of the instance, without trailing slash; mails link to it. */
  readonly baseUrl: string;
  /** Part after the @ in an account's address. */
  readonly domain: string;
  /** The operations that claim names, read and clear notifications, read followers, and end tokens of applications. */
  readonly tables: Pick<Tables, 'get' | 'range' | 'getMany' | 'removeRange' | 'compareAndSet' | 'write'>;
  /** Home timelines of the accounts of this node. */
  readonly rings: HomeRings;
  readonly media: MediaFiles;
  /** Needed to tell other servers of profiles. */
  readonly federation?: ProfileFederation;
}

/**
 * Returns the reactions in the order of one event's effects: rows, then stream messages, then commands to other actors.
 */
export function accountReactions(around: AccountContext): readonly Reaction<AccountState, AccountEvents>[] {
  return [
    accountNames(around.tables),
    accountRows(around.tables),
    inboxesOfFollowers(around.tables),
    accountMediaRows,
    scheduledAlarms,
    purgeAlarms,
    accountStream,
    moderationTells,
    accountTells,
    federatedRelations(around),
    accountTimeline(around.rings),
    accountNotices,
    domainParting(around.tables),
    movedFollowers(around),
    profileProofs(around.baseUrl),
    indexedStatuses(around.tables),
    signUpNotices(around.tables),
    accountMail(around, around.tables),
    ...(around.federation === undefined ? [] : [federatedProfile({ ...around, ...around.federation })]),
    federatedFeatures(around),
    federatedCollections(around),
    accountPushes,
    accountMediaFiles(around.media),
    endedAppTokens(around.tables),
    accountPurge(around.tables),
    clearedNotifications(around.tables),
  ];
}
