import { Type } from '@sinclair/typebox';
import { isLocal } from '../../../actors/domain/addresses.js';
import { eachBounded } from '../../../actors/domain/each-bounded.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { namedHashtag, tagWish } from '../../../actors/domain/text/hashtag.js';
import type { StoreStatusRecord } from '../../../proto/gen/types.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { nothingAnswer, pageAnswer, statusPage } from '../../pages/answers.js';
import { Status } from '../../pages/status/status.js';
import { arrayOf } from '../../pages/status/status-pages.js';
import { renderTag, Tag } from '../../pages/status/tag.js';
import { pageBounds, pageProperties, pageQuery } from '../../paging/bounds.js';
import { READS_AT_ONCE_MAX } from '../../paging/cursor.js';
import { soon } from '../../paging/soon.js';
import { tagTimeline } from '../../timelines/tag.js';
import { answered, notFound } from '../../viewing/visible.js';

/** Longest name of a hashtag in a request; no status is longer. */
const NAME_CHARS_MAX = 500;
/** Names in `any`, `all` or `none`; tagWish uses only the first few. */
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
  answer: Type.Array(Status),
  handle: (request) => {
    const { services, viewer, params, query } = request;
    const { any, all, none, local, remote, only_media } = query;
    const bounds = pageBounds(query);
    const wish = tagWish(params.hashtag, query);
    if (wish === undefined) return nothingAnswer(request, bounds);
    const wants = (record: StoreStatusRecord) =>
      (!only_media || record.media !== undefined) && isOf(record, local === true, remote === true);
    return soon(tagTimeline(services, viewer, wish, bounds, wants), (page) =>
      statusPage(request, bounds, page, { any, all, none, local, remote, only_media }),
    );
  },
});

/** Returns true if a status is of the servers that the client wants; both restrictions together are none. */
const isOf = (record: StoreStatusRecord, local: boolean, remote: boolean): boolean =>
  local === remote || isLocal(record) === local;

const tag = route({
  method: 'GET',
  path: '/api/v1/tags/:name',
  auth: 'optional',
  scope: ['read:follows', 'read:statuses'],
  params: Type.Object({ name: nameText() }),
  answer: Tag,
  handle: ({ services, viewer, params }) => {
    const name = namedHashtag(params.name);
    return name === undefined ? notFound() : tagAnswer(services, viewer, name);
  },
});

const follow = change('follow', 'followTag');
const unfollow = change('unfollow', 'unfollowTag');

function change(verb: 'follow' | 'unfollow', command: 'followTag' | 'unfollowTag'): AnyRoute {
  return route({
    method: 'POST',
    path: `/api/v1/tags/:name/${verb}`,
    auth: 'user',
    scope: ['write:follows', 'follow'],
    params: Type.Object({ name: nameText() }),
    answer: Tag,
    handle: async ({ services, viewer = '', params }) => {
      const name = namedHashtag(params.name);
      if (name === undefined) return notFound();
      const reply = await services.askAccount(viewer, command, { name });
      return isProblem(reply) ? reply : tagAnswer(services, viewer, name, verb === 'follow');
    },
  });
}

const followed = route({
  method: 'GET',
  path: '/api/v1/followed_tags',
  auth: 'user',
  scope: ['read:follows', 'follow'],
  query: pageQuery(100, 200),
  answer: Type.Array(Tag),
  handle: async (request) => {
    const { services, viewer = '', query } = request;
    const bounds = pageBounds(query);
    const { tags, more } = answered(await services.askAccount(viewer, 'followedTags', bounds));
    const histories = await eachBounded(tags, READS_AT_ONCE_MAX, ({ name }) => services.tagHistories.of(name));
    const items = tags.map(({ name }, index) => services.pages.others.tag(name, histories[index] ?? [], true));
    const page = { newest: tags[0]?.edgeId, oldest: tags.at(-1)?.edgeId, more };
    return pageAnswer(request, bounds, page, new JsonPieces(arrayOf(items)));
  },
});

/** Answers with a hashtag for the viewer. */
async function tagAnswer(
  services: Pick<Services, 'tagHistories' | 'instance' | 'askAccount' | 'lenses'>,
  viewer: string | undefined,
  name: string,
  following?: boolean,
) {
  const history = await services.tagHistories.of(name);
  if (viewer === undefined) return json(renderTag(services.instance, name, history, undefined));
  const isFollowed = following ?? (await services.lenses.of(viewer)).lens.followsTag(name);
  const { featured } = answered(await services.askAccount(viewer, 'featuredTags', {}));
  const featuring = featured.some((tag) => tag.name === name);
  return json({ ...renderTag(services.instance, name, history, isFollowed), featuring });
}

/** Hashtags and their timelines. */
export const tagRoutes: readonly AnyRoute[] = [timeline, tag, follow, unfollow, followed];
