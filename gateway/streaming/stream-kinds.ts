import { isId } from '../../actors/domain/ids.js';
import { type Problem, problem } from '../../actors/domain/problem.js';

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
  /** Public statuses of everyone, of this server, or of other servers. */
  readonly public: 'all' | 'local' | 'remote' | undefined;
  /** Statuses of one of the viewer's lists: its id, empty as long as none is chosen. */
  readonly list: string | undefined;
}

const nothing = { home: false, notifications: false, public: undefined, list: undefined } as const;
const kind = (name: string, path: string, scope: string, carries: Partial<StreamKind>): StreamKind => ({
  ...nothing,
  name,
  labels: [name],
  path,
  scope,
  ...carries,
});

export const STREAM_KINDS: readonly StreamKind[] = [
  kind('user', '/user', 'read:statuses', { home: true, notifications: true }),
  kind('user:notification', '/user/notification', 'read:notifications', { notifications: true }),
  kind('public', '/public', 'read:statuses', { public: 'all' }),
  kind('public:local', '/public/local', 'read:statuses', { public: 'local' }),
  kind('public:remote', '/public/remote', 'read:statuses', { public: 'remote' }),
  kind('list', '/list', 'read:statuses', { list: '' }),
];

/** What a token needs, besides the stream's own scope, to hear notifications in it. */
export const NOTIFICATIONS_SCOPE = 'read:notifications';

export const streamNamed = (name: string): StreamKind | undefined => STREAM_KINDS.find((one) => one.name === name);
export const streamAt = (path: string): StreamKind | undefined => STREAM_KINDS.find((one) => one.path === path);

/** The stream itself; that of lists as the stream of this one. Whether there is such a list is not looked at. */
export function ofNamedList(kind: StreamKind, id: string | undefined): StreamKind | Problem {
  if (kind.list === undefined) return kind;
  if (id === undefined) return problem('bad_request', 'Missing list name parameter');
  if (!isId(id)) return problem('not_found', 'Record not found');
  const list = id.padStart(18, '0');
  return { ...kind, name: `${kind.name}:${list}`, labels: [kind.name, id], list };
}
