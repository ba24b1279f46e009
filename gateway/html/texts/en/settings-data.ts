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
};
