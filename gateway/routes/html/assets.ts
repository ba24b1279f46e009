import { Type } from '@sinclair/typebox';
import { ICON_PNG_BASE64, ICON_SVG } from '../../html/icon.js';
import { SCRIPT_FILES } from '../../html/script-files.js';
import { siteOf } from '../../html/site.js';
import { STYLE, STYLE_PATH } from '../../html/style/index.js';
import { type AnyRoute, redirect, route } from '../../http/route.js';
import { notFound } from '../../viewing/visible.js';

/** A day. Names of icons do not change with their content. */
const DAY = 'public, max-age=86400';
/** A year: the path changes with the content. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

/** Files whose names change with their content, by path. */
const BY_PATH: Readonly<Record<string, readonly [type: string, body: string]>> = {
  [STYLE_PATH]: ['text/css; charset=utf-8', STYLE],
  ...Object.fromEntries(SCRIPT_FILES.map(([path, script]) => [path, ['text/javascript; charset=utf-8', script]])),
};

const named = route({
  method: 'GET',
  path: '/assets/:file',
  auth: 'none',
  params: Type.Object({ file: Type.String({ pattern: '^[\\w.-]+$', maxLength: 100 }) }),
  handle: ({ params }) => {
    const found = BY_PATH[`/assets/${params.file}`];
    if (found === undefined) return notFound();
    const [type, body] = found;
    return { status: 200, headers: { 'content-type': type, 'cache-control': FOR_GOOD }, body };
  },
});

const file = (path: string, type: string, cache: string, body: string | Uint8Array): AnyRoute =>
  route({
    method: 'GET',
    path,
    auth: 'none',
    handle: () => ({ status: 200, headers: { 'content-type': type, 'cache-control': cache }, body }),
  });

const manifest = route({
  method: 'GET',
  path: '/manifest.json',
  auth: 'none',
  handle: async ({ services }) => {
    const { title } = await siteOf(services);
    const icons = [
      { src: '/favicon.svg', type: 'image/svg+xml', sizes: 'any' },
      { src: '/apple-touch-icon.png', type: 'image/png', sizes: '180x180' },
    ];
    const colours = { background_color: '#f5f6f9', theme_color: '#3d4fb8' };
    const body = { name: title, short_name: title, start_url: '/web', display: 'minimal-ui', icons, ...colours };
    return {
      status: 200,
      headers: { 'content-type': 'application/manifest+json', 'cache-control': DAY },
      body: JSON.stringify(body),
    };
  },
});

/** Crawlers may read what is public. Media of other servers, forms and personal pages are of no use to them. */
const ROBOTS = `User-agent: *
Disallow: /media_proxy/
Disallow: /auth/
Disallow: /oauth/
Disallow: /settings/
Disallow: /moderation/
Disallow: /web
Disallow: /api/
`;

/** The address at which password managers look for the form (W3C Change Password URL). */
const changePassword = route({
  method: 'GET',
  path: '/.well-known/change-password',
  auth: 'none',
  handle: () => redirect('/auth/password/change'),
});

/** Files that pages refer to, and those that browsers and crawlers look for. */
export const assetRoutes: readonly AnyRoute[] = [
  named,
  file('/favicon.svg', 'image/svg+xml', DAY, ICON_SVG),
  file('/apple-touch-icon.png', 'image/png', DAY, Buffer.from(ICON_PNG_BASE64, 'base64')),
  file('/robots.txt', 'text/plain; charset=utf-8', DAY, ROBOTS),
  manifest,
  changePassword,
];
