import { Type } from '@sinclair/typebox';
import { type AnyRoute, redirect, route } from '../../http/route.js';
import { statusPage } from '../../pages/answers.js';
import { Status } from '../../pages/status/status.js';
import { pageBounds, pageQuery } from '../../paging/bounds.js';
import { soon } from '../../paging/soon.js';
import { mentionsTimeline } from '../../timelines/mentions.js';

/** Longest name of a hashtag in a path; no status is longer. */
const NAME_CHARS_MAX = 500;

const mentions = route({
  method: 'GET',
  path: '/api/v1/timelines/mentions',
  auth: 'user',
  scope: 'read:statuses',
  query: pageQuery(),
  answer: Type.Array(Status),
  handle: (request) => {
    const bounds = pageBounds(request.query);
    return soon(mentionsTimeline(request.services, request.viewer ?? '', bounds), (page) =>
      statusPage(request, bounds, page),
    );
  },
});

const tag = route({
  method: 'GET',
  path: '/api/v1/statuses/tag/:tag',
  auth: 'none',
  params: Type.Object({ tag: Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX }) }),
  handle: ({ services, params, url }) => moved(services.instance.baseUrl, `tag/${encodeURIComponent(params.tag)}`, url),
});

/** Timelines at the addresses of the first API versions. */
export const oldTimelineRoutes: readonly AnyRoute[] = [
  mentions,
  ...['public', 'home', 'mentions'].map((name) =>
    route({
      method: 'GET',
      path: `/api/v1/statuses/${name}`,
      auth: 'none',
      handle: ({ services, url }) => moved(services.instance.baseUrl, name, url),
    }),
  ),
  tag,
];

/** Redirects to the current address, with the query unchanged. */
function moved(baseUrl: string, timeline: string, url: string) {
  const at = url.indexOf('?');
  return redirect(`${baseUrl}/api/v1/timelines/${timeline}${at < 0 ? '' : url.slice(at)}`, 301);
}
