import { isId, storedId } from '../../actors/domain/ids.js';
import { type Problem, problem } from '../../actors/domain/problem.js';
import { type TagWish, tagWish } from '../../actors/domain/text/hashtag.js';

/** Content and scope of one stream. A new stream is a line in STREAM_KINDS. */
export interface StreamKind {
  /** Name that is unique among the connection's streams. */
  readonly name: string;
  /** Name in frames. */
  readonly labels: readonly string[];
  /** Path of the SSE endpoint, after /api/v1/streaming. */
  readonly path: string;
  readonly scope: string;
  /** Statuses of the viewer's home timeline. */
  readonly home: boolean;
  readonly notifications: boolean;
  /** Conversations in direct statuses. */
  readonly direct: boolean;
  /** Public statuses of everyone, of this server, or of other servers. */
  readonly public: 'all' | 'local' | 'remote' | undefined;
  /** Restricts public statuses to those with media. */
  readonly media: boolean;
  /** Id of one of the viewer's lists, whose statuses it carries; empty until one is chosen. */
  readonly list: string | undefined;
  /** Hashtags whose public statuses it carries; empty names until some are chosen. */
  readonly tag: TagWish | undefined;
}

/** Names with which a client chooses a list or hashtags. */
export interface StreamNames {
  readonly list?: string | undefined;
  readonly tag?: string | undefined;
  readonly any?: readonly string[] | undefined;
  readonly all?: readonly string[] | undefined;
  readonly none?: readonly string[] | undefined;
  /** Restricts public statuses to those with media. */
  readonly media?: boolean;
}

const nothing = {
  home: false,
  notifications: false,
  direct: false,
  public: undefined,
  media: false,
  list: undefined,
  tag: undefined,
} as const;
const MEDIA = ':media';
const NO_TAG: TagWish = { tag: '', any: [], all: [], none: [] };
const kind = (name: string, path: string, scope: string, carries: Partial<StreamKind>): StreamKind => ({
  ...nothing,
  name,
  labels: [name],
  path,
  scope,
  ...carries,
});

/**
 * Returns a public stream and its variant with media only, which has the same path. Source: Mastodon's streaming
 * server.
 */
const publicKinds = (name: string, path: string, whose: StreamKind['public']): StreamKind[] => [
  kind(name, path, 'read:statuses', { public: whose }),
  kind(`${name}${MEDIA}`, path, 'read:statuses', { public: whose, media: true }),
];

/** The stream of hashtags that carries statuses of this server only. */
export const LOCAL_TAG = 'hashtag:local';

export const STREAM_KINDS: readonly StreamKind[] = [
  kind('user', '/user', 'read:statuses', { home: true, notifications: true }),
  kind('user:notification', '/user/notification', 'read:notifications', { notifications: true }),
  ...publicKinds('public', '/public', 'all'),
  ...publicKinds('public:local', '/public/local', 'local'),
  ...publicKinds('public:remote', '/public/remote', 'remote'),
  kind('direct', '/direct', 'read:statuses', { direct: true }),
  kind('list', '/list', 'read:statuses', { list: '' }),
  kind('hashtag', '/hashtag', 'read:statuses', { tag: NO_TAG }),
  kind(LOCAL_TAG, '/hashtag/local', 'read:statuses', { tag: NO_TAG }),
];

/** Scope that a token needs for notifications, besides the stream's own scope. */
export const NOTIFICATIONS_SCOPE = 'read:notifications';

/** Returns true if statuses on the stream belong to an account, so that they show the account's marks. */
export const isAccounts = ({ home, list }: StreamKind): boolean => home || list !== undefined;

export const streamNamed = (name: string): StreamKind | undefined => STREAM_KINDS.find((one) => one.name === name);
export const streamAt = (path: string): StreamKind | undefined => STREAM_KINDS.find((one) => one.path === path);

/** Returns the stream of the named list or hashtags, or the stream itself. Does not check that the list exists. */
export function ofNamed(kind: StreamKind, names: StreamNames): StreamKind | Problem {
  if (kind.public !== undefined && names.media === true) return streamNamed(`${kind.name}${MEDIA}`) ?? kind;
  if (kind.tag !== undefined) return ofTags(kind, names);
  if (kind.list === undefined) return kind;
  const id = names.list;
  if (id === undefined) return problem('bad_request', 'Missing list name parameter');
  if (!isId(id)) return problem('not_found', 'Record not found');
  const list = storedId(id);
  return { ...kind, name: `${kind.name}:${list}`, labels: [kind.name, id], list };
}

function ofTags(kind: StreamKind, { tag: written, ...more }: StreamNames): StreamKind | Problem {
  if (written === undefined) return problem('bad_request', 'Missing tag name parameter');
  const tag = tagWish(written, more);
  if (tag === undefined) return problem('bad_request', 'The name is not a valid hashtag');
  return { ...kind, name: `${kind.name} ${JSON.stringify([written, tag])}`, labels: [kind.name, written], tag };
}
