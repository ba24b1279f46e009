import { codec } from '../proto/codec.js';
import { table } from './table.js';

// Each table once; the adapters derive the rest. `era` is eraOfMs (domain/ids.ts).

// ---- runtime
/**
 * Entries per partition of the journal: bounds it to some megabytes. Only `Journal` touches its rows. The row of seq 0
 * says that the first entries have been removed.
 */
export const JOURNAL_BUCKET = 10_000;
export const journal = table('journal', {
  partition: { actor: 'text', bucket: 'int' },
  // `epoch` holds Journal's fence: the epoch and, below it, the generation of the writer.
  clustering: { seq: 'int', epoch: 'int' },
  value: codec('murmuration.store.JournalRecord'),
});
/**
 * The latest snapshots of each actor. A row is written once and never replaced: whatever a former owner still writes
 * damages no other snapshot. `atMs`: when it was taken.
 */
export const snapshots = table('snapshots', {
  partition: { actor: 'text' },
  clustering: { seq: 'int', atMs: 'int' },
  value: codec('murmuration.store.SnapshotRecord'),
});
/** States of snapshots that are too large for the row above. */
export const snapshotChunks = table('snapshot_chunks', {
  partition: { actor: 'text' },
  clustering: { seq: 'int', atMs: 'int', number: 'int' },
  value: codec('murmuration.store.SnapshotChunk'),
});
export const cursors = table('cursors', {
  partition: { actor: 'text' },
  clustering: {},
  value: codec('murmuration.store.CursorRecord'),
});
/**
 * Actors that may have effects not yet done; what a new owner of the shard looks through. `actor` is a backlogKey
 * (actors/runtime/effects/backlog.ts), which begins with the time. A row that comes back only wakes its actor.
 */
export const backlog = table('backlog', {
  partition: { shard: 'int' },
  clustering: { actor: 'text' },
  value: codec('murmuration.store.BacklogRecord'),
  gcGraceSeconds: 3_600,
});
/** A time before which a shard's backlog has no rows: reads from there on pass over no rows deleted before it. */
export const backlogFloors = table('backlog_floors', {
  partition: { shard: 'int' },
  clustering: {},
  value: codec('murmuration.store.BacklogRecord'),
});

// ---- cluster
export const members = table('members', {
  partition: { cluster: 'text' },
  clustering: { name: 'text' },
  value: codec('murmuration.store.MemberRecord'),
  conditional: true,
});
export const shardMap = table('shard_map', {
  partition: { cluster: 'text' },
  clustering: {},
  value: codec('murmuration.store.ShardMapRecord'),
  conditional: true,
});

/** The data centre of Cassandra that all nodes use, in one row (store/cassandra/data-center.ts); `century` is always 0. */
export const storeHome = table('store_home', {
  partition: { century: 'int' },
  clustering: {},
  value: codec('murmuration.store.StoreHome'),
  conditional: true,
});
/** Secrets that the nodes have in common, by what they are for: only where they have no CLUSTER_SECRET. */
export const sharedSecrets = table('shared_secrets', {
  partition: { name: 'text' },
  clustering: {},
  value: codec('murmuration.store.SharedSecret'),
  conditional: true,
});

// ---- product
/** The one place where uniqueness is decided: `acct:alice`, `email:a@b.c`. */
export const names = table('names', {
  partition: { name: 'text' },
  clustering: {},
  value: codec('murmuration.store.NameClaim'),
  conditional: true,
});
export const accounts = table('accounts', {
  partition: { account: 'id' },
  clustering: {},
  value: codec('murmuration.store.AccountRecord'),
  hot: true,
});
export const statuses = table('statuses', {
  partition: { status: 'id' },
  clustering: {},
  value: codec('murmuration.store.StatusRecord'),
  hot: true,
});
/** An account's statuses and reblogs; `era` is the status id's. */
export const accountStatuses = table('account_statuses', {
  partition: { account: 'id', era: 'int' },
  clustering: { status: 'id' },
  value: codec('murmuration.store.AccountStatusRow'),
});
/** What a status said over time, 0 first; at most REVISIONS_MAX + 1 rows, and none of one that was never edited. */
export const statusRevisions = table('status_revisions', {
  partition: { status: 'id' },
  clustering: { number: 'int' },
  value: codec('murmuration.store.StatusRevision'),
});
/**
 * Statuses that were deleted, or are shown otherwise, as streams tell it (changedKey): for clients that resume a stream,
 * which are caught up for an hour. The value decides who may have seen the status; it has no text.
 */
export const changedStatuses = table('changed_statuses', {
  partition: { bucket: 'int', lane: 'int' },
  clustering: { atMs: 'int', status: 'id' },
  value: codec('murmuration.store.StatusRecord'),
  ttlSeconds: 2 * 3_600,
});
/** Public statuses that public timelines show, in buckets of 2^22 ms (70 minutes) and 8 lanes (publicLane). */
export const publicStatuses = table('public_statuses', {
  partition: { bucket: 'int', lane: 'int' },
  clustering: { status: 'id' },
  value: codec('murmuration.store.PublicRow'),
});
/** Which buckets of publicStatuses hold anything; `century` is always 0. */
export const publicBuckets = table('public_buckets', {
  partition: { century: 'int' },
  clustering: { bucket: 'int' },
  value: codec('murmuration.store.PublicBucket'),
  constant: true,
});
/** Public statuses by hashtag, in buckets of 2^27 ms (tagBucket). */
export const tagStatuses = table('tag_statuses', {
  partition: { tag: 'text', bucket: 'int' },
  clustering: { status: 'id' },
  value: codec('murmuration.store.PublicRow'),
});
/** Which buckets of tagStatuses hold anything: 240 a year at most. */
export const tagBuckets = table('tag_buckets', {
  partition: { tag: 'text' },
  clustering: { bucket: 'int' },
  value: codec('murmuration.store.PublicBucket'),
});
/** Statuses that reached so many marks on a day (popularLevel), days since 1970. */
export const popularStatuses = table('popular_statuses', {
  partition: { day: 'int', level: 'int' },
  clustering: { status: 'id' },
  value: codec('murmuration.store.PublicRow'),
});
/** Hashtags by their first two letters, as long as somebody uses them. */
export const tagNames = table('tag_names', {
  partition: { start: 'text' },
  clustering: { tag: 'text' },
  value: codec('murmuration.store.PublicBucket'),
  ttlSeconds: 90 * 86_400,
});
/** The name of a hashtag by its number (tagId), which does not lead back to it. */
export const tagNumbers = table('tag_numbers', {
  partition: { number: 'id' },
  clustering: {},
  value: codec('murmuration.store.TagName'),
  constant: true,
});
/** Accounts by the words of their names: `start` are a word's first two letters, a full stop ends it. */
export const nameIndex = table('name_index', {
  partition: { start: 'text' },
  clustering: { word: 'text', account: 'id' },
  value: codec('murmuration.store.Indexed'),
});
/** Statuses that show a page's card, past those that its actor remembers; HOLDERS_PER_PART at most in each part. */
export const linkHolders = table('link_holders', {
  partition: { link: 'id', part: 'int' },
  clustering: { status: 'id' },
  value: codec('murmuration.link.Holder'),
});
/** What an account is found by: some ten words. */
export const accountWords = table('account_words', {
  partition: { account: 'id' },
  clustering: { word: 'text' },
  value: codec('murmuration.store.Indexed'),
});
/** Public statuses by word, of authors who want to be found so; in buckets of 2^31 ms (wordBucket). */
export const statusIndex = table('status_index', {
  partition: { word: 'text', bucket: 'int' },
  clustering: { status: 'id' },
  value: codec('murmuration.store.PublicRow'),
});
/** What a status is found by; `part` is always 0. */
export const statusWords = table('status_words', {
  partition: { status: 'id' },
  clustering: { part: 'int' },
  value: codec('murmuration.store.Words'),
});
/** Accepted followers of an account; `era` is the edge id's. */
export const followers = table('followers', {
  partition: { account: 'id', era: 'int' },
  clustering: { edge: 'id' },
  value: codec('murmuration.store.AccountEdge'),
});
/** Whom an account follows or asked to follow, by target; at most FOLLOWING_MAX rows. */
export const following = table('following', {
  partition: { account: 'id' },
  clustering: { target: 'id' },
  value: codec('murmuration.store.FollowEdge'),
});
/** Collections of accounts; what their owners' actors say of them. */
export const collections = table('collections', {
  partition: { collection: 'id' },
  clustering: {},
  value: codec('murmuration.account.Collection'),
  hot: true,
});
/** In which collections an account is; `era` is the item id's. */
export const featuredIn = table('featured_in', {
  partition: { account: 'id', era: 'int' },
  clustering: { item: 'id' },
  value: codec('murmuration.store.FeaturedIn'),
});
/** What an account did to a status; `era` is the status id's. */
export const marks = table('marks', {
  partition: { account: 'id', era: 'int' },
  clustering: { status: 'id' },
  value: codec('murmuration.store.Mark'),
  watched: true,
});
/**
 * Marks on a status that has more of them than its actor holds in memory, by account or quoting status; `lane`
 * is publicLane of that id. Marks that changed lately are not as they are here (actors/conversation/marks.ts).
 */
export const statusMarks = table('status_marks', {
  partition: { status: 'id', lane: 'int' },
  clustering: { by: 'id' },
  value: codec('murmuration.store.Mark'),
});
export const favouritedBy = table('favourited_by', {
  partition: { status: 'id' },
  clustering: { mark: 'id' },
  value: codec('murmuration.store.AccountEdge'),
});
export const rebloggedBy = table('reblogged_by', {
  partition: { status: 'id' },
  clustering: { mark: 'id' },
  value: codec('murmuration.store.AccountEdge'),
});
/** Statuses that quote one, as far as its author lets them; at most MARKS_MAX rows (actors/conversation/marks.ts), as of the two above. */
export const quotes = table('quotes', {
  partition: { status: 'id' },
  clustering: { quote: 'id' },
  value: codec('murmuration.store.AccountEdge'),
});
/** What an account has favourited, by when; `era` is the mark id's. */
export const favourites = table('favourites', {
  partition: { account: 'id', era: 'int' },
  clustering: { mark: 'id' },
  value: codec('murmuration.store.StatusRef'),
});
/** The same of bookmarks. */
export const bookmarks = table('bookmarks', {
  partition: { account: 'id', era: 'int' },
  clustering: { mark: 'id' },
  value: codec('murmuration.store.StatusRef'),
});
/** Answers to requests with an Idempotency-Key, by a hash of who asked what with which key. */
export const keptAnswers = table('kept_answers', {
  partition: { name: 'text' },
  clustering: {},
  value: codec('murmuration.store.KeptAnswer'),
  conditional: true,
  ttlSeconds: 3_600,
});
/**
 * Sign-ups refused for their e-mail provider, by day since 1970 and by the block's domain. A node writes a bounded
 * number a day (gateway/oauth/refused-sign-ups.ts).
 */
export const refusedSignUps = table('refused_sign_ups', {
  partition: { day: 'int' },
  clustering: { domain: 'text', attempt: 'id' },
  value: codec('murmuration.store.RefusedSignUp'),
  ttlSeconds: 8 * 86_400,
});
/**
 * Calls that actors have asked for; a row is deleted when its call was answered. `lane` and `day` are alarmKey's
 * (domain/alarm.ts). A row that comes back only repeats its call.
 */
export const alarms = table('alarms', {
  partition: { lane: 'int', day: 'int' },
  clustering: { ringMs: 'int', actor: 'text', what: 'text' },
  value: codec('murmuration.store.AlarmRecord'),
  gcGraceSeconds: 3_600,
});
/** A time before which a lane has no alarms: reads from there on pass over no rows deleted before it. */
export const alarmFloors = table('alarm_floors', {
  partition: { lane: 'int' },
  clustering: {},
  value: codec('murmuration.store.AlarmFloor'),
});
/** `era` is the notification id's. */
export const notifications = table('notifications', {
  partition: { account: 'id', era: 'int' },
  clustering: { notification: 'id' },
  value: codec('murmuration.store.NotificationRecord'),
});
/** Direct statuses by and to an account; `era` is the status id's. */
export const directStatuses = table('direct_statuses', {
  partition: { account: 'id', era: 'int' },
  clustering: { status: 'id' },
  value: codec('murmuration.store.DirectRow'),
});
/** By SHA-256 of the token, base64url. */
export const tokens = table('tokens', {
  partition: { hash: 'text' },
  clustering: {},
  value: codec('murmuration.store.TokenRecord'),
  hot: true,
});
/** Tokens of applications themselves, in the order in which they were issued; APP_TOKENS_MAX of each (actors/registry.ts). */
export const appTokens = table('app_tokens', {
  partition: { client: 'text' },
  clustering: { atMs: 'int', hash: 'text' },
  value: codec('murmuration.store.Indexed'),
});
export const apps = table('apps', {
  partition: { client: 'text' },
  clustering: {},
  value: codec('murmuration.store.AppRecord'),
  hot: true,
});
/** What the instance's people have set: at most ENTRIES_MAX of each collection (actors/instance/entries.ts). */
export const instanceEntries = table('instance_entries', {
  partition: { collection: 'text' },
  clustering: { entry: 'id' },
  value: codec('murmuration.instance.Entry'),
  watched: true,
});
/** Reactions to announcements, by name; some of each announcement. */
export const announcementEmoji = table('announcement_emoji', {
  partition: { announcement: 'id' },
  clustering: { name: 'text' },
  value: codec('murmuration.instance.EmojiCounted'),
});
/**
 * What accounts add on a day since 1970 (actors/account/tally.ts): absolute, so that effects may be repeated. `lane` is
 * publicLane of the account. Read until the day's totals are stored, and for twelve weeks by administrators.
 */
export const accountTallies = table('account_tallies', {
  partition: { day: 'int', lane: 'int' },
  clustering: { account: 'id' },
  value: codec('murmuration.store.AccountTally'),
  ttlSeconds: 400 * 86_400,
});
/** Which days of accountTallies hold anything; `century` is always 0. */
export const tallyDays = table('tally_days', {
  partition: { century: 'int' },
  clustering: { day: 'int' },
  value: codec('murmuration.store.PublicBucket'),
  constant: true,
});
/** Totals of the instance at the end of each day, some 4 KiB; `century` is always 0. */
export const dayTotals = table('day_totals', {
  partition: { century: 'int' },
  clustering: { day: 'int' },
  value: codec('murmuration.instance.DayTotals'),
});
/** What people reported; `era` is the report id's, `lane` publicLane of it. */
export const reports = table('reports', {
  partition: { era: 'int', lane: 'int' },
  clustering: { report: 'id' },
  value: codec('murmuration.instance.Report'),
});
/** What moderators did; `era` is the entry id's. */
export const auditLog = table('audit_log', {
  partition: { era: 'int' },
  clustering: { entry: 'id' },
  value: codec('murmuration.instance.AuditEntry'),
});
/** Accounts of this server; `era` is the account id's, `lane` publicLane of it. */
export const accountListings = table('account_listings', {
  partition: { era: 'int', lane: 'int' },
  clustering: { account: 'id' },
  value: codec('murmuration.store.AccountListing'),
});
/** Accounts that are silenced or suspended, whole in memory on each node; `century` is always 0. */
export const accountLimits = table('account_limits', {
  partition: { century: 'int' },
  clustering: { account: 'id' },
  value: codec('murmuration.store.AccountLimit'),
  watched: true,
});
/** Accounts with a role of their own; `century` is always 0. */
export const staff = table('staff', {
  partition: { century: 'int' },
  clustering: { account: 'id' },
  value: codec('murmuration.store.AccountListing'),
});

/** Uploads; what their owners' actors say of them. */
export const mediaRows = table('media', {
  partition: { media: 'id' },
  clustering: {},
  value: codec('murmuration.store.MediaRecord'),
});
/** Files of the media store where no folder holds them (store/media/table-media.ts): what there is. */
export const mediaFiles = table('media_files', {
  partition: { name: 'text' },
  clustering: {},
  value: codec('murmuration.store.MediaFileRecord'),
});
/** Their bytes: MEDIA_CHUNK_BYTES a row, MEDIA_PART_CHUNKS rows a partition. */
export const mediaChunks = table('media_chunks', {
  partition: { name: 'text', part: 'int' },
  clustering: { chunk: 'int' },
  value: codec('murmuration.store.MediaChunk'),
});

/** All of them, for the adapters' schemas. */
export const allTables = [
  journal,
  snapshots,
  snapshotChunks,
  cursors,
  backlog,
  backlogFloors,
  members,
  shardMap,
  storeHome,
  sharedSecrets,
  names,
  accounts,
  statuses,
  accountStatuses,
  statusRevisions,
  changedStatuses,
  publicStatuses,
  publicBuckets,
  tagStatuses,
  tagBuckets,
  popularStatuses,
  tagNames,
  tagNumbers,
  nameIndex,
  linkHolders,
  accountWords,
  statusIndex,
  statusWords,
  followers,
  following,
  collections,
  featuredIn,
  marks,
  statusMarks,
  favouritedBy,
  rebloggedBy,
  quotes,
  favourites,
  bookmarks,
  alarms,
  alarmFloors,
  keptAnswers,
  refusedSignUps,
  notifications,
  directStatuses,
  tokens,
  appTokens,
  apps,
  instanceEntries,
  announcementEmoji,
  accountTallies,
  tallyDays,
  dayTotals,
  auditLog,
  reports,
  accountListings,
  accountLimits,
  staff,
  mediaRows,
  mediaFiles,
  mediaChunks,
] as const;
