import { type AnyRoute, route } from '../../http/route.js';
import { MISSING_AVATAR_PATH, MISSING_HEADER_PATH } from '../../pages/account/account.js';
import { MISSING_AVATAR_BASE64, MISSING_HEADER_BASE64 } from './missing-images.js';

/** Default pictures for accounts without their own. */
export const imageRoutes: readonly AnyRoute[] = [
  image(MISSING_AVATAR_PATH, MISSING_AVATAR_BASE64),
  image(MISSING_HEADER_PATH, MISSING_HEADER_BASE64),
];

function image(path: string, base64: string): AnyRoute {
  const body = Buffer.from(base64, 'base64');
  const headers = { 'content-type': 'image/png', 'cache-control': 'public, max-age=86400' };
  return route({ method: 'GET', path, auth: 'none', handle: async () => ({ status: 200, headers, body }) });
}
