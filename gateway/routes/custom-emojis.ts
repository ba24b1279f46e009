import { fileUrl } from '../../actors/domain/media.js';
import { type AnyRoute, json, route } from '../http/route.js';

/** The instance's own emoji, as pickers show them. */
export const customEmojiRoutes: readonly AnyRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/custom_emojis',
    auth: 'none',
    handle: async ({ services }) => {
      const entries = await services.entries.of('emojis');
      return json(
        entries.map(({ key, text }) => {
          const url = fileUrl(services.instance.baseUrl, text?.text ?? '');
          return { shortcode: key, url, static_url: url, visible_in_picker: true, category: text?.hint || null };
        }),
      );
    },
  }),
];
