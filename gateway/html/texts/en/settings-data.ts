/** Texts of exports and imports of lists. They are part of `data`. */
const transfer = {
  export: 'Export',
  import: 'Import',
  exportText: 'Your lists as CSV files. Other servers with the Mastodon formats import them.',
  importText: 'A CSV file with a list that you have exported here or on another server.',
  kinds: {
    follows: 'People that you follow',
    lists: 'Lists',
    blocks: 'Blocked accounts',
    mutes: 'Muted accounts',
    domain_blocks: 'Blocked servers',
    bookmarks: 'Bookmarks',
  },
  kind: 'The list in the file',
  file: 'File',
  mode: 'Entries that you have already',
  merge: 'stay',
  overwrite: 'go if the file does not name them',
  start: 'Import',
  next: 'Continue',
  done: (count: number) => (count === 1 ? '1 entry imported.' : `${count} entries imported.`),
  removed: (count: number) => (count === 1 ? '1 earlier entry removed.' : `${count} earlier entries removed.`),
  left: (count: number) => `${count} to go. A long list is imported in several steps.`,
  busy: 'This server needs a break first: continue in some minutes.',
  failed: (count: number) => `${count} could not be imported, for example because nobody is found there:`,
  unreadable: (kilobytes: number) => `The file must be a CSV file in UTF-8 of ${kilobytes} KB at most.`,
  tooMany: (rows: number) => `The file has more than ${rows} entries.`,
  empty: 'The file names nothing of this kind.',
};

/** Texts of what people take along and bring with them. They are part of `settings`. */
export const data = {
  title: 'Your data',
  archive: {
    title: 'Archive',
    intro:
      'A ZIP file with everything that you have posted: your profile, posts and their files, favourites and bookmarks, in the format of ActivityPub.',
    request: 'Make an archive',
    again: 'You can ask for the next one from',
    building: 'Your archive is being made. You get a mail when it is ready, and can close this page.',
    ready: 'Your archive is ready.',
    download: 'Download the archive',
    size: (size: string) => `Size: ${size}`,
    until: 'It is available until',
    partial: 'It is too large for all of your files: the newest are missing.',
    refused: 'You can ask for an archive once in 7 days.',
  },
  transfer,
};
