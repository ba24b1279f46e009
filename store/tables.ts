import { codec } from '../proto/codec.js';
import { decodedOnce } from '../proto/decoded-once.js';
import { federationTables } from './federation-tables.js';
import { moderationTables } from './moderation-tables.js';
import { signInTables } from './sign-in-tables.js';
import { table } from './table.js';

// Each table is declared once; the adapters derive the rest. `era` is eraOfMs (domain/ids.ts).
/**
 * Entries per partition of the journal: bounds a partition to some megabytes. Only `Journal` accesses the rows. The row
 * with seq 0 records that the first entries have been removed.
 */
export const JOURNAL_BUCKET = 10_000;
export const journal = table('journal', {
  partition: { actor: 'text', bucket: 'int' },
  // `epoch` holds Journal's fence: the epoch and, below it, the generation of the writer.
  clustering: { seq: 'int', epoch: 'int' },
  value: codec('murmuration.store.JournalRecord'),
});
/**
 * The latest snapshots of each actor. A row is written once and never replaced: a late write of a former owner damages
 * no other snapshot. `atMs`: when the snapshot was taken.
 */
export const snapshots = table('snapshots', {
  partition: { actor: 'text' },
  clustering: { seq: 'int', atMs: 'int' },
  value: codec('murmuration.store.SnapshotRecord'),
});
/** States of snapshots that are too large for a row of `snapshots`. */
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
 * Actors that may have unfinished effects; a new owner of the shard reads it. `actor` is a backlogKey
 * (actors/runtime/effects/backlog.ts), which begins with the time. A deleted row that returns only activates its actor.
 */
export const backlog = table('backlog', {
  partition: { shard: 'int' },
  clustering: { actor: 'text' },
  value: codec('murmuration.store.BacklogRecord'),
  gcGraceSeconds: 3_600,
});
/** A time before which a shard's backlog has no rows: reads start there and skip the tombstones before it. */
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
  // Each node reads this row of 1,024 owners every second.
  value: decodedOnce(codec('murmuration.store.ShardMapRecord')),
  conditional: true,
});

/**
 * The data centre of Cassandra that all nodes use, in one row (store/cassandra/data-center.ts); `century` is always 0.
 */
export const storeHome = table('store_home', {
  partition: { century: 'int' },
  clustering: {},
  value: codec('murmuration.store.StoreHome'),
  conditional: true,
});
/** Secrets that the nodes share, by purpose; used only without CLUSTER_SECRET. */
export const sharedSecrets = table('shared_secrets', {
  partition: { name: 'text' },
  clustering: {},
  value: codec('murmuration.store.SharedSecret'),
  conditional: true,
});

// ---- product
/** Claims of unique names: `acct:alice`, `email:a@b.c`. Only this table decides uniqueness. */
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
/** An account's statuses and reblogs; `era` is that of the status id. */
export const accountStatuses = table('account_statuses', {
  partition: { account: 'id', era: 'int' },
  clustering: { status: 'id' },
  value: codec('murmuration.store.AccountStatusRow'),
});
/** Former texts of a status, 0 first; at most REVISIONS_MAX + 1 rows, none for a status that was never edited. */
export const statusRevisions = table('status_revisions', {
  partition: { status: 'id' },
  clustering: { number: 'int' },
  value: codec('murmuration.store.StatusRevision'),
});
/**
 * Statuses that were deleted or changed, as streams publish it (changedKey). A client that resumes a stream receives
 * the changes of up to one hour. The value decides who may have seen the status; it has no text.
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
/** Non-empty buckets of publicStatuses; `century` is always 0. */
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
/** Non-empty buckets of tagStatuses: at most 240 a year. */
export const tagBuckets = table('tag_buckets', {
  partition: { tag: 'text' },
  clustering: { bucket: 'int' },
  value: codec('murmuration.store.PublicBucket'),
});
/** Statuses that reached a number of favourites and reblogs on a day (popularLevel); days since 1970. */
export const popularStatuses = table('popular_statuses', {
  partition: { day: 'int', level: 'int' },
  clustering: { status: 'id' },
  value: codec('murmuration.store.PublicRow'),
});
/** Hashtags in use by their first two letters. */
export const tagNames = table('tag_names', {
  partition: { start: 'text' },
  clustering: { tag: 'text' },
  value: codec('murmuration.store.PublicBucket'),
  ttlSeconds: 90 * 86_400,
});
/** The name of a hashtag by its number (tagId), from which the name cannot be computed. */
export const tagNumbers = table('tag_numbers', {
  partition: { number: 'id' },
  clustering: {},
  value: codec('murmuration.store.TagName'),
  constant: true,
});
/** Accounts by the words of their names: `start` is the first two letters of a word; a full stop ends the word. */
export const nameIndex = table('name_index', {
  partition: { start: 'text' },
  clustering: { word: 'text', account: 'id' },
  value: codec('murmuration.store.Indexed'),
});
/** Statuses that show a page's card, beyond those in the state of its actor; at most HOLDERS_PER_PART in each part. */
export const linkHolders = table('link_holders', {
  partition: { link: 'id', part: 'int' },
  clustering: { status: 'id' },
  value: codec('murmuration.link.Holder'),
});
/** Words by which search finds an account: some ten. */
export const accountWords = table('account_words', {
  partition: { account: 'id' },
  clustering: { word: 'text' },
  value: codec('murmuration.store.Indexed'),
});
/** Public statuses by word, of authors who opted in to search; in buckets of 2^31 ms (wordBucket). */
export const statusIndex = table('status_index', {
  partition: { word: 'text', bucket: 'int' },
  clustering: { status: 'id' },
  value: codec('murmuration.store.PublicRow'),
});
/** Words by which search finds a status; `part` is always 0. */
export const statusWords = table('status_words', {
  partition: { status: 'id' },
  clustering: { part: 'int' },
  value: codec('murmuration.store.Words'),
});
/** Accepted followers of an account; `era` is that of the edge id. */
export const followers = table('followers', {
  partition: { account: 'id', era: 'int' },
  clustering: { edge: 'id' },
  value: codec('murmuration.store.AccountEdge'),
});
/** Accounts that an account follows or has asked to follow, by target; at most FOLLOWING_MAX rows. */
export const following = table('following', {
  partition: { account: 'id' },
  clustering: { target: 'id' },
  value: codec('murmuration.store.FollowEdge'),
});
/** Collections of accounts, as their owners' actors write them. */
export const collections = table('collections', {
  partition: { collection: 'id' },
  clustering: {},
  value: codec('murmuration.account.Collection'),
  hot: true,
});
/** Collections that contain an account; `era` is that of the item id. */
export const featuredIn = table('featured_in', {
  partition: { account: 'id', era: 'int' },
  clustering: { item: 'id' },
  value: codec('murmuration.store.FeaturedIn'),
});
/** An account's favourite, bookmark, reblog or other mark of a status; `era` is that of the status id. */
export const marks = table('marks', {
  partition: { account: 'id', era: 'int' },
  clustering: { status: 'id' },
  value: codec('murmuration.store.Mark'),
  watched: true,
});
/**
 * Marks of a status that has more of them than its actor holds in memory, by account or quoting status; `lane` is
 * publicLane of that id. The rows lag behind recent changes (actors/conversation/marks.ts).
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
/**
 * Statuses that quote a status, as far as its author permits; at most MARKS_MAX rows (actors/conversation/marks.ts), as
 * for the two tables above.
 */
export const quotes = table('quotes', {
  partition: { status: 'id' },
  clustering: { quote: 'id' },
  value: codec('murmuration.store.AccountEdge'),
});
/** Statuses that an account has favourited, by time; `era` is that of the mark id. */
export const favourites = table('favourites', {
  partition: { account: 'id', era: 'int' },
  clustering: { mark: 'id' },
  value: codec('murmuration.store.StatusRef'),
});
/** Statuses that an account has bookmarked, in the same form. */
export const bookmarks = table('bookmarks', {
  partition: { account: 'id', era: 'int' },
  clustering: { mark: 'id' },
  value: codec('murmuration.store.StatusRef'),
});
/** Answers to requests with an Idempotency-Key, by a hash of requester, request and key. */
export const keptAnswers = table('kept_answers', {
  partition: { name: 'text' },
  clustering: {},
  value: codec('murmuration.store.KeptAnswer'),
  conditional: true,
  // Readers limit an answer's validity to an hour. The store's clock may step ahead by hours, so rows stay longer.
  ttlSeconds: 86_400,
});
/**
 * Sign-ups refused for their e-mail provider, by day since 1970 and by the domain of the block. A node writes a bounded
 * number a day (gateway/oauth/refused-sign-ups.ts).
 */
export const refusedSignUps = table('refused_sign_ups', {
  partition: { day: 'int' },
  clustering: { domain: 'text', attempt: 'id' },
  value: codec('murmuration.store.RefusedSignUp'),
  ttlSeconds: 8 * 86_400,
});
/**
 * Alarms that actors have set; a row is deleted when the actor has handled its call. `lane` and `day` are those of
 * alarmKey (domain/alarm.ts). A deleted row that returns only repeats its call.
 */
export const alarms = table('alarms', {
  partition: { lane: 'int', day: 'int' },
  clustering: { ringMs: 'int', actor: 'text', what: 'text' },
  value: codec('murmuration.store.AlarmRecord'),
  gcGraceSeconds: 3_600,
});
/** A time before which a lane has no alarms: reads start there and skip the tombstones before it. */
export const alarmFloors = table('alarm_floors', {
  partition: { lane: 'int' },
  clustering: {},
  value: codec('murmuration.store.AlarmFloor'),
});
/** Notifications of an account; `era` is that of the notification id. */
export const notifications = table('notifications', {
  partition: { account: 'id', era: 'int' },
  clustering: { notification: 'id' },
  value: codec('murmuration.store.NotificationRecord'),
});
/** Direct statuses by and to an account; `era` is that of the status id. */
export const directStatuses = table('direct_statuses', {
  partition: { account: 'id', era: 'int' },
  clustering: { status: 'id' },
  value: codec('murmuration.store.DirectRow'),
});
/** Access tokens by SHA-256 of the token, base64url. */
export const tokens = table('tokens', {
  partition: { hash: 'text' },
  clustering: {},
  value: codec('murmuration.store.TokenRecord'),
  hot: true,
});
/** Client-credential tokens of applications, in order of issue; APP_TOKENS_MAX of each (actors/registry.ts). */
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
/** Settings of the instance: at most ENTRIES_MAX of each collection (actors/instance/entries.ts). */
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
 * Contributions of accounts to the totals of a day since 1970 (actors/account/tally.ts): absolute numbers, so that
 * effects may be repeated. `lane` is publicLane of the account. Read until the day's totals are stored, and for twelve
 * weeks by administrators.
 */
export const accountTallies = table('account_tallies', {
  partition: { day: 'int', lane: 'int' },
  clustering: { account: 'id' },
  value: codec('murmuration.store.AccountTally'),
  ttlSeconds: 400 * 86_400,
});
/** Days of accountTallies that have rows; `century` is always 0. */
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

/** Uploads, as their owners' actors write them. */
export const mediaRows = table('media', {
  partition: { media: 'id' },
  clustering: {},
  value: codec('murmuration.store.MediaRecord'),
});
/** Files of the media store when no folder stores them (store/media/table-media.ts). */
export const mediaFiles = table('media_files', {
  partition: { name: 'text' },
  clustering: {},
  value: codec('murmuration.store.MediaFileRecord'),
});
/** The bytes of mediaFiles: MEDIA_CHUNK_BYTES a row, MEDIA_PART_CHUNKS rows a partition. */
export const mediaChunks = table('media_chunks', {
  partition: { name: 'text', part: 'int' },
  clustering: { chunk: 'int' },
  value: codec('murmuration.store.MediaChunk'),
});

/** All tables, for the adapters' schemas. */
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
  mediaRows,
  mediaFiles,
  mediaChunks,
  ...moderationTables,
  ...signInTables,
  ...federationTables,
] as const;
