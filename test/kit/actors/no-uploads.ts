import type { MediaFiles } from '../../../actors/reactions/media.js';

/** Media files for tests without uploads. */
export const noUploads: MediaFiles = { finish: async (media) => media, remove: async () => undefined };
