import { Type } from '@sinclair/typebox';
import { type AnyRoute, json, route } from '../../http/route.js';
import { CustomEmoji } from '../../settings/custom-emoji.js';

/** The instance's own emoji, for pickers. */
export const customEmojiRoutes: readonly AnyRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/custom_emojis',
    auth: 'none',
    answer: Type.Array(CustomEmoji),
    handle: ({ services }) => json([...(services.instance.emojis?.all.values() ?? [])]),
  }),
];
