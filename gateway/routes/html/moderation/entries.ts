import { type TProperties, Type } from '@sinclair/typebox';
import { storedId } from '../../../../actors/domain/ids.js';
import type { Permission } from '../../../../actors/domain/permissions.js';
import { isProblem, type Problem } from '../../../../actors/domain/problem.js';
import type { Collection } from '../../../../actors/instance/entries.js';
import type { InstanceEntry } from '../../../../proto/gen/types.js';
import { type EntryCollection, type EntryRow, entriesPage, entryPage } from '../../../html/moderation/entries-page.js';
import type { EntryFaults, EntryField, TypedEntry } from '../../../html/moderation/entry-fields.js';
import type { Texts } from '../../../html/texts/index.js';
import type { ApiAnswer } from '../../../http/api-call.js';
import { problemAnswer } from '../../../http/problem-answer.js';
import { type Answer, type AnyRoute, json, redirect, uploaded } from '../../../http/route.js';
import { idParams, pageAnswer } from '../../../pages/answers.js';
import { type PageQuery, pageBounds, pageProperties } from '../../../paging/bounds.js';
import { linksOf } from '../../../paging/links.js';
import { pageOf } from '../../../paging/page.js';
import { type EntryContent, putEntry, removeEntry } from '../../../settings/changes.js';
import { notFound } from '../../../viewing/visible.js';
import { personalForm, personalPage } from '../personal.js';
import { faultOf, type Moderator, read, TYPED_CHARS_MAX } from './acting.js';

/** Entries of a page. */
const PAGE = 100;

/** Reads and writes the entries of a list in the name of a moderator. */
export interface EntrySource<R> {
  /** @param query raw query of the page */
  readonly list: (moderator: Moderator, query: string) => Promise<ApiAnswer<readonly R[]>>;
  readonly find: (moderator: Moderator, id: string) => Promise<R | undefined>;
  readonly add: (moderator: Moderator, typed: TypedEntry) => Promise<ApiAnswer>;
  readonly change: (moderator: Moderator, id: string, typed: TypedEntry) => Promise<ApiAnswer>;
  readonly remove: (moderator: Moderator, id: string) => Promise<ApiAnswer>;
}

/** A list that moderators keep. */
export interface EntryPages<R> {
  readonly collection: EntryCollection;
  readonly permission: Permission;
  readonly fields: readonly EntryField[];
  readonly source: EntrySource<R>;
  readonly rowOf: (entry: R, texts: Texts['moderation']['entries']) => EntryRow;
  /** Returns the fields as the entry has them. Absent: entries cannot be changed. */
  readonly typedOf?: (entry: R) => TypedEntry;
  /** Size of the body with a file, in bytes. */
  readonly multipartBytesMax?: number;
  /** The list can be exported and imported (domain-files.ts). */
  readonly isShared?: boolean;
}

/** Returns the source of a list that the API has. `bodyOf` makes its body of what was typed. */
export const ofApi = <R>(path: string, bodyOf: (typed: TypedEntry) => object): EntrySource<R> => ({
  list: ({ api }, query) => api({ method: 'GET', path, query }),
  find: (moderator, id) => read<R>(moderator, `${path}/${id}`),
  add: ({ api }, typed) => api({ method: 'POST', path, body: bodyOf(typed) }),
  change: ({ api }, id, typed) => api({ method: 'PUT', path: `${path}/${id}`, body: bodyOf(typed) }),
  remove: ({ api }, id) => api({ method: 'DELETE', path: `${path}/${id}` }),
});

/**
 * Returns the source of a list that only pages have. `contentOf` makes an entry of what was typed.
 * @param isOrdered true: oldest first and whole, as people read it
 */
export const ofEntries = (
  collection: Collection,
  contentOf: (typed: TypedEntry, before: InstanceEntry | undefined, nowMs: number) => EntryContent | Problem,
  isOrdered = false,
): EntrySource<InstanceEntry> => {
  const put = async ({ request, session }: Moderator, typed: TypedEntry, before?: InstanceEntry) => {
    const { services } = request;
    const content = contentOf(typed, before, services.clock.nowMs());
    if (isProblem(content)) return answerOf(content);
    const id = before === undefined ? {} : { id: before.id };
    return answerOf(await putEntry(services, session.account.id, { collection, ...id, ...content }));
  };
  const find = ({ request }: Moderator, id: string) => request.services.entries.find(collection, storedId(id));
  return {
    list: async ({ request }) => {
      const all = await request.services.entries.of(collection);
      if (isOrdered) return toApi(json(all));
      const bounds = pageBounds({ limit: PAGE, ...(request.query as Partial<PageQuery> | undefined) });
      const page = pageOf(all, bounds);
      return toApi(pageAnswer(request, bounds, page, page.items));
    },
    find,
    add: (moderator, typed) => put(moderator, typed),
    change: async (moderator, id, typed) => {
      const before = await find(moderator, id);
      return before === undefined ? answerOf(notFound()) : put(moderator, typed, before);
    },
    remove: async ({ request, session }, id) =>
      answerOf(await removeEntry(request.services, session.account.id, collection, id)),
  };
};

const toApi = <T>({ status, headers, body }: Answer<T>): ApiAnswer<T> => ({
  ...{ status, body, link: headers?.link, pieces: undefined },
});

/** Returns the outcome of a command as the API would answer it. */
export const answerOf = (outcome: object | Problem): ApiAnswer =>
  toApi(isProblem(outcome) ? problemAnswer(outcome) : json(outcome));

interface Shown {
  readonly typed?: TypedEntry;
  readonly faults?: EntryFaults;
  readonly done?: string | undefined;
}

/** Shows a list as the query of the page asks for it, with the form of a new entry as it was typed. */
export async function showEntries<R>(kind: EntryPages<R>, moderator: Moderator, { typed, faults, done }: Shown) {
  const { site, reader, request } = moderator;
  const query = request.url.split('?', 2)[1] ?? '';
  const { status, body, link } = await kind.source.list(moderator, `limit=${PAGE}&${query}`);
  if (status !== 200) return notFound();
  return entriesPage(site, reader, {
    ...{ collection: kind.collection, fields: kind.fields, isShared: kind.isShared === true },
    rows: body.map((entry) => kind.rowOf(entry, reader.texts.moderation.entries)),
    ...{ typed: typed ?? {}, ...(faults && { faults }), done, canChange: kind.typedOf !== undefined },
    ...linksOf(link, request.url),
  });
}

/** Returns the pages and forms of a list; the list is the first of them. */
export function entryPages<R>(kind: EntryPages<R>): [AnyRoute, ...AnyRoute[]] {
  const { collection, permission, source } = kind;
  const path = `/moderation/${collection}`;
  const list = personalPage(
    {
      path,
      permission,
      query: Type.Object({
        ...pageProperties(PAGE, PAGE),
        done: Type.Optional(Type.Boolean()),
        added: Type.Optional(Type.Integer({ minimum: 0 })),
        skipped: Type.Optional(Type.Integer({ minimum: 0 })),
      }),
    },
    (moderator) => {
      const { request, reader } = moderator;
      const { done, added, skipped = 0 } = request.query;
      const { moderation } = reader.texts;
      const message = added === undefined ? done && moderation.done : moderation.entries.added(added, skipped);
      return showEntries(kind, moderator, { typed: request.refused?.typed ?? {}, done: message || undefined });
    },
  );
  const { multipartBytesMax } = kind;
  const form = { path, page: list, permission, ...(multipartBytesMax && { multipartBytesMax }) };
  const add = personalForm({ ...form, body: bodyOf(kind, true) }, async (moderator) => {
    const typed = typedIn(moderator.request.body);
    const faults = faultsOf(kind, moderator, await source.add(moderator, typed));
    if (isProblem(faults)) return faults;
    return faults === undefined ? redirect(`${path}?done=true`, 303) : showEntries(kind, moderator, { typed, faults });
  });
  const remove = personalForm(
    { path: `${path}/:id/delete`, page: list, permission, params: idParams, body: {} },
    async (moderator) => {
      const fault = faultOf(await source.remove(moderator, moderator.request.params.id), moderator.reader.texts);
      if (isProblem(fault)) return fault;
      return fault === undefined
        ? redirect(`${path}?done=true`, 303)
        : showEntries(kind, moderator, { faults: { base: fault } });
    },
  );
  return [list, add, ...changeRoutes(kind, path), remove];
}

/** Returns the page and the form that change an entry, if entries can be changed. */
function changeRoutes<R>(kind: EntryPages<R>, path: string): AnyRoute[] {
  const { permission, source, typedOf } = kind;
  if (typedOf === undefined) return [];
  const show = async (moderator: Moderator, id: string, typed: TypedEntry, faults: EntryFaults = {}) => {
    const entry = await source.find(moderator, id);
    if (entry === undefined) return notFound();
    const { site, reader } = moderator;
    const row = kind.rowOf(entry, reader.texts.moderation.entries);
    const { collection, fields } = kind;
    return entryPage(site, reader, { collection, row, fields, typed: { ...typedOf(entry), ...typed }, faults });
  };
  const one = personalPage({ path: `${path}/:id`, permission, params: idParams }, (moderator) =>
    show(moderator, moderator.request.params.id, moderator.request.refused?.typed ?? {}),
  );
  const change = personalForm(
    { path: `${path}/:id`, page: one, permission, params: idParams, body: bodyOf(kind, false) },
    async (moderator) => {
      const { id } = moderator.request.params;
      const typed = typedIn(moderator.request.body);
      const faults = faultsOf(kind, moderator, await source.change(moderator, id, typed));
      if (isProblem(faults)) return faults;
      return faults === undefined ? redirect(`${path}?done=true`, 303) : show(moderator, id, typed, faults);
    },
  );
  return [one, change];
}

/** Returns the fields of a form as a schema. */
function bodyOf<R>({ fields }: EntryPages<R>, isNew: boolean): TProperties {
  const sent = fields.filter(({ isFixed }) => isNew || isFixed !== true);
  return Object.fromEntries(
    sent.map(({ name, kind }) => [
      name,
      kind === 'file'
        ? Type.Optional(uploaded())
        : kind === 'tick'
          ? Type.Boolean({ default: false })
          : Type.String({ default: '', maxLength: TYPED_CHARS_MAX }),
    ]),
  );
}

const typedIn = (body: object): TypedEntry => {
  const { csrf: _csrf, ...typed } = body as Record<string, string | boolean>;
  return typed;
};

/** Returns the message about a refusal at the field that it is about. */
function faultsOf<R>(
  { fields }: EntryPages<R>,
  { reader }: Moderator,
  answer: ApiAnswer,
): EntryFaults | Problem | undefined {
  const fault = faultOf(answer, reader.texts);
  if (typeof fault !== 'string') return fault;
  const [field = ''] = Object.keys((answer.body as { readonly details?: object }).details ?? {});
  return { [fields.some(({ name }) => name === field) ? field : 'base']: fault };
}
