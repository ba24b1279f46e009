import { isId, storedId } from '../../actors/domain/ids.js';
import { type Problem, problem } from '../../actors/domain/problem.js';
import { type TagWish, tagWish } from '../../actors/domain/text/hashtag.js';

/** What one stream carries, to whom. A new stream is a line of STREAM_KINDS. */
export interface StreamKind {
  /** What distinguishes it from the connection's other streams. */
  readonly name: string;
  /** What frames call it. */
  readonly labels: readonly string[];
  /** Of the SSE endpoint, after /api/v1/streaming. */
  readonly path: string;
  readonly scope: string;
  /** Statuses of the viewer's home timeline. */
  readonly home: boolean;
  readonly notifications: boolean;
  /** Conversations in direct statuses. */
  readonly direct: boolean;
  /** Public statuses of everyone, of this server, or of other servers. */
  readonly public: 'all' | 'local' | 'remote' | undefined;
  /** Of public statuses, only those with media. */
  readonly media: boolean;
  /** Statuses of one of the viewer's lists: its id, empty as long as none is chosen. */
  readonly list: string | undefined;
  /** Public statuses with hashtags; those of no name as long as none is chosen. */
  readonly tag: TagWish | undefined;
}

/** Which list or hashtags of its kind a stream is of, as a client writes it. */
export interface StreamNames {
  readonly list?: string | undefined;
  readonly tag?: string | undefined;
  readonly any?: readonly string[] | undefined;
  readonly all?: readonly string[] | undefined;
  readonly none?: readonly string[] | undefined;
  /** Of public statuses, only those with media. */
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

/** The stream, and that of its statuses with media, which has the same path. Source: Mastodon's streaming server. */
const publicKinds = (name: string, path: string, whose: StreamKind['public']): StreamKind[] => [
  kind(name, path, 'read:statuses', { public: whose }),
  kind(`${name}${MEDIA}`, path, 'read:statuses', { public: whose, media: true }),
];

export const STREAM_KINDS: readonly StreamKind[] = [
  kind('user', '/user', 'read:statuses', { home: true, notifications: true }),
  kind('user:notification', '/user/notification', 'read:notifications', { notifications: true }),
  ...publicKinds('public', '/public', 'all'),
  ...publicKinds('public:local', '/public/local', 'local'),
  ...publicKinds('public:remote', '/public/remote', 'remote'),
  kind('direct', '/direct', 'read:statuses', { direct: true }),
  kind('list', '/list', 'read:statuses', { list: '' }),
  kind('hashtag', '/hashtag', 'read:statuses', { tag: NO_TAG }),
  // Everybody is local.
  kind('hashtag:local', '/hashtag/local', 'read:statuses', { tag: NO_TAG }),
];

/** What a token needs, besides the stream's own scope, to hear notifications in it. */
export const NOTIFICATIONS_SCOPE = 'read:notifications';

/** Statuses on it belong to an account, so they show what the account did to them. */
export const isAccounts = ({ home, list }: StreamKind): boolean => home || list !== undefined;

export const streamNamed = (name: string): StreamKind | undefined => STREAM_KINDS.find((one) => one.name === name);
export const streamAt = (path: string): StreamKind | undefined => STREAM_KINDS.find((one) => one.path === path);

/** The stream itself; that of lists or hashtags as the stream of these. Whether there is such a list is not looked at. */
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
  if (tag === undefined) return problem('bad_request', 'No hashtag is named so');
  return { ...kind, name: `${kind.name} ${JSON.stringify([written, tag])}`, labels: [kind.name, written], tag };
}
