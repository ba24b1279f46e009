import type { Tables } from '../../../store/port.js';
import type { AccountEvents, AccountState } from '../../account/slices.js';
import type { Reaction } from '../../runtime/kind.js';
import type { HomeRings } from '../../timelines/home-rings.js';
import { accountMediaFiles, accountMediaRows, type MediaFiles } from '../media.js';
import { accountNames } from '../names.js';
import { accountStream } from '../stream.js';
import { domainParting } from './domain-parting.js';
import { indexedStatuses } from './indexing.js';
import { accountMail } from './mail.js';
import { moderationTells } from './moderation-tells.js';
import { clearedNotifications } from './notification-rows.js';
import { profileProofs } from './proof.js';
import { accountPurge, purgeAlarms } from './purge.js';
import { accountRows } from './rows.js';
import { scheduledAlarms } from './scheduled.js';
import { accountNotices, accountTells } from './tells.js';
import { accountTimeline } from './timeline.js';

/** What an account's effects need from outside. */
export interface AccountSurroundings {
  /** Of the instance, without trailing slash; mails link there. */
  readonly baseUrl: string;
  /** The parts that claim names, look up and clear notifications, and know followers. */
  readonly tables: Pick<Tables, 'get' | 'range' | 'getMany' | 'removeRange' | 'compareAndSet'>;
  /** Home timelines of the accounts of this node. */
  readonly rings: HomeRings;
  readonly media: MediaFiles;
}

/** In the order in which one event's effects happen: rows, then who hears of it, then other actors. */
export function accountReactions(around: AccountSurroundings): readonly Reaction<AccountState, AccountEvents>[] {
  return [
    accountNames(around.tables),
    accountRows(around.tables),
    accountMediaRows,
    scheduledAlarms,
    purgeAlarms,
    accountStream,
    moderationTells,
    accountTells,
    accountTimeline(around.rings),
    accountNotices,
    domainParting(around.tables),
    profileProofs(around.baseUrl),
    indexedStatuses(around.tables),
    accountMail(around.baseUrl),
    accountMediaFiles(around.media),
    accountPurge(around.tables),
    clearedNotifications(around.tables),
  ];
}
