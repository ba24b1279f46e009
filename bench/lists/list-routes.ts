import type { AnyRoute } from '../../gateway/http/route.js';

/** Answers that contain a list without being one. */
const HOLDING = new Set(['Search', 'GroupedNotificationsResults', 'Context']);

/** Lists without a row in benchListed, with reasons. */
export const WITHOUT_ROW: Readonly<Record<string, string>> = {
  '/api/v2/notifications/:key': 'one group',
  '/api/v1/timelines/home': 'benchmark `home`',
  '/api/v1/timelines/public': 'benchmark `public`',
  '/api/v1/notifications': 'benchmark `notifications`',
  '/api/v1/notifications/unread_count': 'answers a number',
  '/api/v2/notifications/unread_count': 'answers a number',
  '/api/v1/trends': 'is gone: 410',
  '/api/v1/accounts/:id/identity_proofs': 'is always empty',
  '/api/v1/accounts/:id/media_index': 'an index of images, not a page: its statuses are found as those of an account',
  '/api/v1/admin/trends/links/publishers': 'is always empty',
  '/api/v1/admin/accounts/:id/notes': 'of one account, at most 100, in one row',
  '/api/v1/admin/reports/:id/notes': 'of one report, as its record holds them',
  '/api/v1/announcements': 'a few, asked for once by each client when it starts',
  '/api/v1/custom_emojis': 'as announcements',
  '/api/v1/instance/activity': 'counted once for all in five minutes',
  '/api/v1/instance/domain_blocks': 'as rules',
  '/api/v1/instance/languages': 'as rules',
  '/api/v1/instance/peers': 'as rules',
  '/api/v1/instance/rules': 'of the instance, asked for once by each client when it starts',
};

/** Returns the paths of all routes that answer a list or a page of one. */
export function listPaths(routes: readonly AnyRoute[]): string[] {
  const isList = ({ answer, query }: AnyRoute) => {
    const hasLimit = Object.hasOwn((query as { properties?: object } | undefined)?.properties ?? {}, 'limit');
    return hasLimit || answer?.type === 'array' || HOLDING.has(answer?.$id ?? '');
  };
  return routes
    .filter((route) => route.method === 'GET' && route.path.startsWith('/api/') && isList(route))
    .map(({ path }) => path);
}

/** Returns true if an address belongs to the route. */
export function fits(route: string, address: string): boolean {
  const parts = route.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll('.', '\\.')));
  return new RegExp(`^${parts.join('/')}(?:\\?|$)`).test(address);
}
