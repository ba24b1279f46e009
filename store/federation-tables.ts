import { codec } from '../proto/codec.js';
import { table } from './table.js';

// Tables of what this server exchanges with others; store/tables.ts lists them for the adapters.
/**
 * Signing keys (RSA) of local accounts, by account id, and of the instance. Only this table contains them: no journal,
 * no snapshot. A key is written once and never changes.
 */
export const accountKeys = table('account_keys', {
  partition: { owner: 'text' },
  clustering: {},
  value: codec('murmuration.store.KeyPair'),
  conditional: true,
});

/**
 * Addresses of statuses of other servers that are known here, by uriKey (actors/domain/text/uri-key.ts). Only the actor of
 * the author writes them.
 */
export const knownUris = table('uris', {
  partition: { uri: 'text' },
  clustering: {},
  value: codec('murmuration.store.KnownUri'),
});
/** Addresses of statuses that were deleted, in the same form: a Create that arrives later has no effect. */
export const deletedUris = table('deleted_uris', {
  partition: { uri: 'text' },
  clustering: {},
  value: codec('murmuration.store.DeletedUri'),
  // Other servers send a Create again for less than this time.
  ttlSeconds: 7 * 86_400,
});
/**
 * Replies of other servers that arrived before the status that they answer, by its uriKey. A deleted row that returns
 * names the parent again, which changes nothing.
 */
export const earlyReplies = table('early_replies', {
  partition: { parent: 'text' },
  clustering: { reply: 'id' },
  value: codec('murmuration.store.Indexed'),
  gcGraceSeconds: 3_600,
});
/** Servers of which an account was found; `century` is always 0. */
export const knownDomains = table('known_domains', {
  partition: { century: 'int' },
  clustering: { domain: 'text' },
  value: codec('murmuration.store.Indexed'),
  constant: true,
});
/**
 * Accounts of other servers: each once under its domain and once under EVERY_DOMAIN. `era` and `lane` are those of
 * accountListings. A deleted row that returns names an account whose own row says that it was deleted.
 */
export const remoteAccountListings = table('remote_account_listings', {
  partition: { domain: 'text', era: 'int', lane: 'int' },
  clustering: { account: 'id' },
  value: codec('murmuration.store.AccountListing'),
});
/** Stands for all domains in remoteAccountListings; it is the name of none. */
export const EVERY_DOMAIN = '*';
/** Public statuses of other servers, as publicStatuses; `bucket` and `lane` are those of their ids. */
export const remotePublicStatuses = table('remote_public_statuses', {
  partition: { bucket: 'int', lane: 'int' },
  clustering: { status: 'id' },
  value: codec('murmuration.store.PublicRow'),
});
/** Non-empty buckets of remotePublicStatuses; `century` is always 0. */
export const remotePublicBuckets = table('remote_public_buckets', {
  partition: { century: 'int' },
  clustering: { bucket: 'int' },
  value: codec('murmuration.store.PublicBucket'),
  constant: true,
});
/**
 * Activities that wait for an inbox of a host, by the host's id (hashedId of the domain); `bucket` is deliveryBucket,
 * `seq` and `part` order those of one millisecond. Only the host's actor deletes rows. A deleted row that returns is
 * delivered again.
 */
export const deliveries = table('deliveries', {
  partition: { host: 'id', bucket: 'int' },
  clustering: { atMs: 'int', seq: 'int', part: 'text' },
  value: codec('murmuration.store.Delivery'),
  ttlSeconds: 8 * 86_400,
  gcGraceSeconds: 3_600,
});
/** Texts of activities that wait in `deliveries`, by a hash of the activity's id. */
export const outgoingDocuments = table('outgoing_documents', {
  partition: { document: 'text' },
  clustering: {},
  value: codec('murmuration.store.OutgoingDocument'),
  ttlSeconds: 8 * 86_400,
});
/**
 * Received activities that have taken effect, or must not take effect any more, by id; a long id by its SHA-256. A
 * deleted or expired row lets a very late repetition take effect again.
 */
export const activities = table('activities', {
  partition: { id: 'text' },
  clustering: {},
  value: codec('murmuration.store.KnownActivity'),
  ttlSeconds: 8 * 86_400,
});
/**
 * Activities that were answered with 202 and wait for something that must be fetched; `lane` is that of the sending
 * host's shard. A deleted row that returns is carried out again, which changes nothing.
 */
export const inboxWaiting = table('inbox_waiting', {
  partition: { lane: 'int' },
  clustering: { atMs: 'int', seq: 'text' },
  value: codec('murmuration.store.WaitingActivity'),
  ttlSeconds: 2 * 86_400,
  gcGraceSeconds: 3_600,
});
/** Hosts to which deliveries have ended, or have been resumed; a host without a row is delivered to. */
export const remoteHosts = table('remote_hosts', {
  partition: { host: 'id' },
  clustering: {},
  value: codec('murmuration.store.RemoteHost'),
  hot: true,
});
/** Hosts for which deliveries wait after a pass, have ended or are halted, by domain; `century` is always 0. */
export const listedHosts = table('listed_hosts', {
  partition: { century: 'int' },
  clustering: { domain: 'text' },
  value: codec('murmuration.store.ListedHost'),
});

/** Followers of a local account on other servers, by the inbox that its statuses go to; a long one by its SHA-256. */
export const followerInboxes = table('follower_inboxes', {
  partition: { account: 'id' },
  clustering: { inbox: 'text', follower: 'id' },
  value: codec('murmuration.store.FollowerInbox'),
});
/**
 * Statuses whose quotes are permitted by stamps of other servers, by the quoted account and the address of its stamp (a
 * long one by its SHA-256): an account can end only what it has permitted itself.
 */
export const quoteStamps = table('quote_stamps', {
  partition: { account: 'id', stamp: 'text' },
  clustering: {},
  value: codec('murmuration.store.StatusRef'),
});
/** Places in local collections that stamps of an account permit, keyed as quoteStamps. */
export const featureStamps = table('feature_stamps', {
  partition: { account: 'id', stamp: 'text' },
  clustering: {},
  value: codec('murmuration.store.FeatureStampRef'),
});
/** Seconds for which a file of another server is kept. */
export const REMOTE_MEDIA_S = 30 * 86_400;
/** Cached files of other servers, by the SHA-256 of their address. A row whose file is gone has no effect. */
export const remoteMedia = table('remote_media', {
  partition: { url: 'text' },
  clustering: {},
  value: codec('murmuration.store.RemoteMedia'),
  ttlSeconds: REMOTE_MEDIA_S,
});
/** Files of remoteMedia by their age, also those whose write did not end. A deleted row that returns is deleted again. */
export const remoteMediaAges = table('remote_media_ages', {
  partition: { lane: 'int' },
  clustering: { atMs: 'int', file: 'text' },
  value: codec('murmuration.store.RemoteMediaAge'),
  gcGraceSeconds: 3_600,
});

export const federationTables = [
  accountKeys,
  deletedUris,
  deliveries,
  earlyReplies,
  followerInboxes,
  knownDomains,
  remoteAccountListings,
  knownUris,
  featureStamps,
  listedHosts,
  outgoingDocuments,
  quoteStamps,
  remoteHosts,
  remoteMedia,
  remoteMediaAges,
  remotePublicBuckets,
  remotePublicStatuses,
  activities,
  inboxWaiting,
] as const;
