import { Type } from '@sinclair/typebox';
import { namedHashtag } from '../../actors/domain/hashtag.js';
import { renderTag } from '../entities/tag.js';
import { pageBounds, pageProperties } from '../http/paging.js';
import { type AnyRoute, json, route } from '../http/route.js';
import { TAGS_PER_MODE_MAX, tagTimeline } from '../timelines/tag.js';
import { notFound } from '../visible.js';
import { nothingAnswer, statusPage } from './lists.js';

/** Of a hashtag's name as it is asked for; no status is longer. */
const NAME_CHARS_MAX = 500;
/** Names sent for any, all or none; those past TAGS_PER_MODE_MAX are not looked at. */
const NAMES_MAX = 40;

const nameText = () => Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX });
const nameList = () => Type.Optional(Type.Array(Type.String({ maxLength: NAME_CHARS_MAX }), { maxItems: NAMES_MAX }));

const timeline = route({
  method: 'GET',
  path: '/api/v1/timelines/tag/:hashtag',
  auth: 'optional',
  scope: 'read:statuses',
  params: Type.Object({ hashtag: nameText() }),
  query: Type.Object({
    ...pageProperties(),
    any: nameList(),
    all: nameList(),
    none: nameList(),
    local: Type.Optional(Type.Boolean()),
    remote: Type.Optional(Type.Boolean()),
    only_media: Type.Optional(Type.Boolean()),
  }),
  handle: async (request) => {
    const { services, viewer, params, query } = request;
    const { any, all, none, local, remote, only_media } = query;
    const bounds = pageBounds(query);
    const tag = namedHashtag(params.hashtag);
    // Everybody is local and no status has media.
    const isEmpty = only_media === true || (remote === true && local !== true);
    if (tag === undefined || isEmpty) return nothingAnswer(request, bounds);
    const wish = { tag, any: names(any), all: names(all), none: names(none) };
    const page = await tagTimeline(services, viewer, wish, bounds);
    return statusPage(request, bounds, page, { any, all, none, local, remote, only_media });
  },
});

const tag = route({
  method: 'GET',
  path: '/api/v1/tags/:name',
  auth: 'optional',
  scope: ['read:follows', 'read:statuses'],
  params: Type.Object({ name: nameText() }),
  handle: async ({ services, params }) => {
    const name = namedHashtag(params.name);
    if (name === undefined) return notFound();
    const history = await services.tagHistories.of(name);
    return json(renderTag(services.instance, name, history, undefined));
  },
});

function names(written: readonly string[] = []): string[] {
  return written.flatMap((one) => namedHashtag(one) ?? []).slice(0, TAGS_PER_MODE_MAX);
}

/** Hashtags and their timelines. */
export const tagRoutes: readonly AnyRoute[] = [timeline, tag];
