/** What one stream carries, to whom. A new stream is a line of STREAM_KINDS. */
export interface StreamKind {
  readonly name: string;
  /** Of the SSE endpoint, after /api/v1/streaming. */
  readonly path: string;
  readonly scope: string;
  /** Statuses of the viewer's home timeline. */
  readonly home: boolean;
  readonly notifications: boolean;
  /** Public statuses of everyone, of this server, or of other servers. */
  readonly public: 'all' | 'local' | 'remote' | undefined;
}

const nothing = { home: false, notifications: false, public: undefined } as const;

export const STREAM_KINDS: readonly StreamKind[] = [
  { ...nothing, name: 'user', path: '/user', scope: 'read:statuses', home: true, notifications: true },
  {
    ...nothing,
    name: 'user:notification',
    path: '/user/notification',
    scope: 'read:notifications',
    notifications: true,
  },
  { ...nothing, name: 'public', path: '/public', scope: 'read:statuses', public: 'all' },
  { ...nothing, name: 'public:local', path: '/public/local', scope: 'read:statuses', public: 'local' },
  { ...nothing, name: 'public:remote', path: '/public/remote', scope: 'read:statuses', public: 'remote' },
];

/** What a token needs, besides the stream's own scope, to hear notifications in it. */
export const NOTIFICATIONS_SCOPE = 'read:notifications';

export const streamNamed = (name: string): StreamKind | undefined => STREAM_KINDS.find((kind) => kind.name === name);
export const streamAt = (path: string): StreamKind | undefined => STREAM_KINDS.find((kind) => kind.path === path);
