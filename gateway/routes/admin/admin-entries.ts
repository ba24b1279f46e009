import type { Static, TObject } from '@sinclair/typebox';
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
import { arrayOf } from '../../pages/status-pages.js';
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

/** Returns the routes of a collection: list, read, create, update (if allowed) and remove. */
export function entryRoutes<B extends TObject, C extends TObject>(kept: EntryKind<B, C>): AnyRoute[] {
  const { collection, permission, render } = kept;
  const answer = async (services: Services, entry: InstanceEntry) => {
    const [pieces = []] = await render(services, [entry]);
    return json(new JsonPieces(pieces));
  };
  const path = `/api/v1/admin/${collection}`;
  const common = { auth: 'user', permission } as const;
  const [read, write] = [`admin:read:${collection}`, `admin:write:${collection}`];
  const list = route({
    ...common,
    method: 'GET',
    path,
    scope: read,
    query: pageQuery(DEFAULT, MAX),
    handle: async (request) => {
      const bounds = pageBounds(request.query);
      const page = pageOf(await request.services.entries.of(collection), bounds);
      const items = await render(request.services, page.items);
      return pageAnswer(request, bounds, page, new JsonPieces(arrayOf(items)));
    },
  });
  const one = route({
    ...common,
    method: 'GET',
    path: `${path}/:id`,
    scope: read,
    params: idParams,
    handle: async ({ services, params }) => {
      const entry = await services.entries.find(collection, storedId(params.id));
      return entry === undefined ? notFound() : answer(services, entry);
    },
  });
  const create = route({
    ...common,
    method: 'POST',
    path,
    scope: write,
    idempotent: 'command',
    body: kept.body,
    handle: async ({ services, viewer = '', body, once }) => {
      const made = kept.make(body as Static<B>, services.clock.nowMs());
      if (isProblem(made)) return made;
      const change = { collection, replace: kept.repeatable === true, ...made };
      const entry = await putEntry(services, viewer, change, once);
      return isProblem(entry) ? entry : answer(services, entry);
    },
  });
  const remove = route({
    ...common,
    method: 'DELETE',
    path: `${path}/:id`,
    scope: kept.removedBy === undefined ? write : [write, kept.removedBy],
    params: idParams,
    handle: async ({ services, viewer = '', params }) => {
      const entry = await removeEntry(services, viewer, collection, params.id);
      return isProblem(entry) ? entry : answer(services, entry);
    },
  });
  const { change } = kept;
  if (change === undefined) return [list, one, create, remove];
  const update = route({
    ...common,
    method: 'PUT',
    path: `${path}/:id`,
    scope: write,
    params: idParams,
    body: change.body,
    handle: async ({ services, viewer = '', params, body }) => {
      const before = await services.entries.find(collection, storedId(params.id));
      if (before === undefined) return notFound();
      const made = change.make(before, body as Static<C>, services.clock.nowMs());
      if (isProblem(made)) return made;
      const entry = await putEntry(services, viewer, { collection, id: before.id, ...made });
      return isProblem(entry) ? entry : answer(services, entry);
    },
  });
  return [list, one, create, update, remove];
}
