import { Type } from '@sinclair/typebox';
import { storedId } from '../../../actors/domain/ids.js';
import { isProblem, type Problem, problem } from '../../../actors/domain/problem.js';
import { isSuspended } from '../../../actors/domain/standing.js';
import { namedHashtag } from '../../../actors/domain/text/hashtag.js';
import type { TagUses } from '../../discovery/tag-histories.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { FeaturedTag, renderFeaturedTag } from '../../pages/account/featured-tag.js';
import { idParams } from '../../pages/answers.js';
import { arrayOf } from '../../pages/status/status-pages.js';
import { renderTag, Tag } from '../../pages/status/tag.js';
import { soon, together } from '../../paging/soon.js';
import { askSoon, type ReadServices } from '../../viewing/read-services.js';
import { answered, lensOf, notFound, publishedAccount } from '../../viewing/visible.js';

const READ = 'read:accounts';
const WRITE = 'write:accounts';
const PATH = '/api/v1/featured_tags';
/** Longest name of a hashtag in a request; no status is longer. */
const NAME_CHARS_MAX = 500;

const list = route({
  method: 'GET',
  path: PATH,
  auth: 'user',
  scope: READ,
  answer: Type.Array(FeaturedTag),
  handle: async ({ services, viewer = '' }) => shownOf(services, viewer, viewer),
});

const create = route({
  method: 'POST',
  path: PATH,
  idempotent: 'command',
  auth: 'user',
  scope: WRITE,
  body: Type.Object({ name: Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX }) }),
  answer: FeaturedTag,
  handle: async ({ services, viewer = '', body, once }) => {
    const name = namedHashtag(body.name.trim());
    if (name === undefined) return noHashtag();
    const [owner, tag] = await Promise.all([
      publishedAccount(services, viewer),
      services.askAccount(viewer, 'featureTag', { name }, once),
    ]);
    if (isProblem(owner)) return owner;
    return isProblem(tag) ? tag : json(renderFeaturedTag(services.instance, owner, tag));
  },
});

const remove = route({
  method: 'DELETE',
  path: `${PATH}/:id`,
  auth: 'user',
  scope: WRITE,
  params: idParams,
  answer: Type.Object({}),
  handle: async ({ services, viewer = '', params }) => {
    const reply = await services.askAccount(viewer, 'unfeatureTag', { id: storedId(params.id) });
    return isProblem(reply) ? reply : json({});
  },
});

const suggestions = route({
  method: 'GET',
  path: `${PATH}/suggestions`,
  auth: 'user',
  scope: READ,
  answer: Type.Array(Tag),
  handle: ({ services, viewer = '' }) =>
    soon(askSoon(services, viewer, 'featuredTags', {}), (reply) => {
      const names = answered(reply).others.map(({ name }) => name);
      return soon(together<TagUses[]>(names.map((name) => services.tagHistories.of(name))), (histories) => {
        const { others } = services.pages;
        const tags = names.map((name, index) => others.tag(name, histories[index] ?? [], undefined));
        return json(new JsonPieces(arrayOf(tags)));
      });
    }),
});

const ofAccount = route({
  method: 'GET',
  path: '/api/v1/accounts/:id/featured_tags',
  auth: 'optional',
  scope: READ,
  params: idParams,
  answer: Type.Array(FeaturedTag),
  handle: ({ services, viewer, params }) => shownOf(services, viewer, params.id),
});

const feature = byName('feature', async (services, viewer, name) =>
  services.askAccount(viewer, 'featureTag', { name }),
);
const unfeature = byName('unfeature', async (services, viewer, name) => {
  const { featured } = answered(await services.askAccount(viewer, 'featuredTags', {}));
  const id = featured.find((tag) => tag.name === name)?.id;
  return id === undefined ? {} : services.askAccount(viewer, 'unfeatureTag', { id });
});

/** Hashtags that people feature on their profiles. */
export const featuredTagRoutes: readonly AnyRoute[] = [
  list,
  create,
  remove,
  suggestions,
  ofAccount,
  feature,
  unfeature,
];

/**
 * Answers with an account's featured hashtags, most recently used first. The list is empty if the account blocks the
 * viewer.
 */
async function shownOf(services: ReadServices, viewer: string | undefined, id: string) {
  const owner = await publishedAccount(services, id);
  if (isProblem(owner)) return owner;
  if (isSuspended(owner)) return json([]);
  if (viewer !== owner.id && (await lensOf(services, viewer)).relation(owner.id).blockedBy) return json([]);
  const { featured } = answered(await services.askAccount(owner.id, 'featuredTags', {}));
  return json(featured.map((tag) => renderFeaturedTag(services.instance, owner, tag)));
}

function byName(
  verb: string,
  work: (services: Services, viewer: string, name: string) => Promise<object | Problem>,
): AnyRoute {
  return route({
    method: 'POST',
    path: `/api/v1/tags/:name/${verb}`,
    auth: 'user',
    scope: WRITE,
    params: Type.Object({ name: Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX }) }),
    answer: Tag,
    handle: async ({ services, viewer = '', params }) => {
      const name = namedHashtag(params.name);
      if (name === undefined) return notFound();
      const reply = await work(services, viewer, name);
      if (isProblem(reply)) return reply;
      const [history, { lens }] = await Promise.all([services.tagHistories.of(name), services.lenses.of(viewer)]);
      const tag = renderTag(services.instance, name, history, lens.followsTag(name));
      return json({ ...tag, featuring: verb === 'feature' });
    },
  });
}

function noHashtag(): Problem {
  const error = { error: 'ERR_INVALID', description: 'is invalid' };
  return problem('invalid', 'Validation failed: Name is invalid', { name: [error] });
}
