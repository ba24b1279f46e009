import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import { storedId } from '../../../actors/domain/ids.js';
import type { Permission } from '../../../actors/domain/permissions.js';
import { isProblem, type Problem } from '../../../actors/domain/problem.js';
import type { Collection } from '../../../actors/instance/entries.js';
import type { InstanceEntry } from '../../../proto/gen/types.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { idParams, pageAnswer } from '../../pages/answers.js';
import { CachedJson } from '../../pages/cached-json.js';
import { arrayOf } from '../../pages/status/status-pages.js';
import { pageBounds, pageQuery } from '../../paging/bounds.js';
import { pageOf } from '../../paging/page.js';
import { type EntryContent, putEntry, removeEntry } from '../../settings/changes.js';
import { notFound } from '../../viewing/visible.js';

const DEFAULT = 100;
const MAX = 200;

/** Content of an entry to write. */
export interface Fresh extends EntryContent {
  readonly key: string;
}

/** Renders entries for moderators as pieces of JSON, in the order of the entries. */
export type Render = (
  services: Services,
  entries: readonly InstanceEntry[],
) => readonly (readonly Uint8Array[])[] | Promise<readonly (readonly Uint8Array[])[]>;
/** Renders each entry once while it is in memory, because some contain a hash. */
export const each = (render: (entry: InstanceEntry) => object): Render => {
  const kept = new CachedJson(render);
  return (_services, entries) => entries.map((entry) => [kept.of(entry)]);
};

/** A collection of entries that moderators manage. */
export interface EntryKind<B extends TObject, C extends TObject> {
  readonly collection: Collection;
  readonly permission: Permission;
  readonly body: B;
  /** Schema of one rendered entry. */
  readonly entity: TSchema;
  /** Renders entries in their order. */
  readonly render: Render;
  /** Builds the content of a new entry. */
  readonly make: (body: Static<B>, nowMs: number) => Fresh | Problem;
  /** A further scope that allows removal: the API's documentation names another scope than its servers accept. */
  readonly removedBy?: string;
  /** Creating an entry that exists already returns it instead of an error. */
  readonly repeatable?: boolean;
  /** Absent: entries cannot be changed. */
  readonly change?: {
    readonly body: C;
    readonly make: (before: InstanceEntry, body: Static<C>, nowMs: number) => Fresh | Problem;
  };
}

/** Parts that the routes of a collection share. */
const sharedBy = <B extends TObject, C extends TObject>({ collection, permission }: EntryKind<B, C>) => ({
  path: `/api/v1/admin/${collection}`,
  common: { auth: 'user', permission } as const,
  read: `admin:read:${collection}`,
  write: `admin:write:${collection}`,
});

/** Returns the routes of a collection: list, read, create, update (if allowed) and remove. */
export function entryRoutes<B extends TObject, C extends TObject>(kept: EntryKind<B, C>): AnyRoute[] {
  const { change } = kept;
  const update = change === undefined ? [] : [updateRoute(kept, change)];
  return [...readRoutes(kept), createRoute(kept), ...update, removeRoute(kept)];
}

async function answer({ render }: { readonly render: Render }, services: Services, entry: InstanceEntry | Problem) {
  if (isProblem(entry)) return entry;
  const [pieces = []] = await render(services, [entry]);
  return json(new JsonPieces(pieces));
}

function readRoutes<B extends TObject, C extends TObject>(kept: EntryKind<B, C>): AnyRoute[] {
  const { collection, render } = kept;
  const { path, common, read } = sharedBy(kept);
  return [
    route({
      ...common,
      method: 'GET',
      path,
      scope: read,
      query: pageQuery(DEFAULT, MAX),
      answer: Type.Array(kept.entity),
      handle: async (request) => {
        const bounds = pageBounds(request.query);
        const page = pageOf(await request.services.entries.of(collection), bounds);
        const items = await render(request.services, page.items);
        return pageAnswer(request, bounds, page, new JsonPieces(arrayOf(items)));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${path}/:id`,
      scope: read,
      params: idParams,
      answer: kept.entity,
      handle: async ({ services, params }) => {
        const entry = await services.entries.find(collection, storedId(params.id));
        return answer(kept, services, entry ?? notFound());
      },
    }),
  ];
}

function createRoute<B extends TObject, C extends TObject>(kept: EntryKind<B, C>): AnyRoute {
  const { path, common, write } = sharedBy(kept);
  return route({
    ...common,
    method: 'POST',
    path,
    scope: write,
    idempotent: 'command',
    body: kept.body,
    answer: kept.entity,
    handle: async ({ services, viewer = '', body, once }) => {
      const made = kept.make(body as Static<B>, services.clock.nowMs());
      if (isProblem(made)) return made;
      const change = { collection: kept.collection, replace: kept.repeatable === true, ...made };
      return answer(kept, services, await putEntry(services, viewer, change, once));
    },
  });
}

function updateRoute<B extends TObject, C extends TObject>(
  kept: EntryKind<B, C>,
  change: NonNullable<EntryKind<B, C>['change']>,
): AnyRoute {
  const { collection } = kept;
  const { path, common, write } = sharedBy(kept);
  return route({
    ...common,
    method: 'PUT',
    path: `${path}/:id`,
    scope: write,
    params: idParams,
    body: change.body,
    answer: kept.entity,
    handle: async ({ services, viewer = '', params, body }) => {
      const before = await services.entries.find(collection, storedId(params.id));
      if (before === undefined) return notFound();
      const made = change.make(before, body as Static<C>, services.clock.nowMs());
      if (isProblem(made)) return made;
      return answer(kept, services, await putEntry(services, viewer, { collection, id: before.id, ...made }));
    },
  });
}

function removeRoute<B extends TObject, C extends TObject>(kept: EntryKind<B, C>): AnyRoute {
  const { path, common, write } = sharedBy(kept);
  return route({
    ...common,
    method: 'DELETE',
    path: `${path}/:id`,
    scope: kept.removedBy === undefined ? write : [write, kept.removedBy],
    params: idParams,
    answer: kept.entity,
    handle: async ({ services, viewer = '', params }) =>
      answer(kept, services, await removeEntry(services, viewer, kept.collection, params.id)),
  });
}
