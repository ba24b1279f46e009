import { type AnyRoute, json, route } from '../../http/route.js';

/** The instance's own emoji, for pickers. */
export const customEmojiRoutes: readonly AnyRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/custom_emojis',
    auth: 'none',
    handle: ({ services }) => json([...(services.instance.emojis?.all.values() ?? [])]),
  }),
];
