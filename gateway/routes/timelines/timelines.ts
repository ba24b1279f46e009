import { Type } from '@sinclair/typebox';
import { type AnyRoute, route } from '../../http/route.js';
import { statusPage } from '../../pages/answers.js';
import { Status } from '../../pages/status/status.js';
import { pageBounds, pageProperties, pageQuery } from '../../paging/bounds.js';
import { soon } from '../../paging/soon.js';
import { homeTimeline } from '../../timelines/home.js';
import { publicMedia, publicTimeline } from '../../timelines/public.js';

const home = route({
  method: 'GET',
  path: '/api/v1/timelines/home',
  auth: 'user',
  scope: 'read:statuses',
  query: pageQuery(),
  answer: Type.Array(Status),
  successes: [200, 206],
  handle: (request) => {
    const bounds = pageBounds(request.query);
    return soon(homeTimeline(request.services, request.viewer ?? '', bounds), (page) =>
      statusPage(request, bounds, page),
    );
  },
});

const everybody = route({
  method: 'GET',
  path: '/api/v1/timelines/public',
  auth: 'optional',
  scope: 'read:statuses',
  query: Type.Object({
    ...pageProperties(),
    local: Type.Optional(Type.Boolean()),
    remote: Type.Optional(Type.Boolean()),
    only_media: Type.Optional(Type.Boolean()),
  }),
  answer: Type.Array(Status),
  handle: (request) => {
    const { services, viewer, query } = request;
    const { local, remote, only_media } = query;
    const bounds = pageBounds(query);
    // A client that wants both gets all. Source: Mastodon PublicFeed.
    const whose = local === remote ? 'all' : local === true ? 'local' : remote === true ? 'remote' : 'all';
    const timeline = only_media === true ? publicMedia : publicTimeline;
    return soon(timeline(services, viewer, bounds, whose), (page) =>
      statusPage(request, bounds, page, { local, remote, only_media }),
    );
  },
});

export const timelineRoutes: readonly AnyRoute[] = [home, everybody];
