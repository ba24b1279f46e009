/** Commands that only an account of another server answers. */
export const ONLY_REMOTE: ReadonlySet<string> = new Set([
  'collectionAt',
  'describeCollection',
  'forgetCollection',
  'receive',
  'reviseReceived',
  'forgetReceived',
  'vanish',
  'disownFollow',
]);

/** Commands that an account of another server answers. */
export const REMOTE_COMMANDS: ReadonlySet<string> = new Set([
  ...ONLY_REMOTE,
  'addFollower',
  'alarm',
  'announce',
  'answerFollow',
  'authorizeFollow',
  'block',
  'collections',
  'countStatus',
  'dropFollower',
  'endFeature',
  'endorse',
  'endorsements',
  'featureTag',
  'featuredTags',
  'follow',
  'endMove',
  'following',
  'moderate',
  'move',
  'moveFollowers',
  'pin',
  'purgeSome',
  'receiveBlock',
  'rejectFollow',
  'relations',
  'removeFollower',
  'subscribe',
  'unblock',
  'unendorse',
  'unfeatureTag',
  'unfollow',
  'unpin',
]);

/**
 * Commands to an account of another server that have no effect: its server notifies its owner. They come from effects,
 * which do not distinguish.
 */
export const REMOTE_IGNORED: ReadonlySet<string> = new Set([
  'clearNotifications',
  'hearDirect',
  'leaveCollection',
  'noteUndelivered',
  'notify',
  'releaseMedia',
  'removeMedia',
  'retractNotice',
]);
