import { Type } from '@sinclair/typebox';
import { FILTER_KEYWORDS_MAX } from '../../../../actors/account/filters.js';
import { type Faults, filterPage, filtersPage, type TypedFilter } from '../../../html/settings/filter-pages.js';
import type { ApiAnswer } from '../../../http/api-call.js';
import { type AnyRoute, redirect } from '../../../http/route.js';
import type { Filter } from '../../../pages/account/filter.js';
import { idParams } from '../../../pages/answers.js';
import { notFound } from '../../../viewing/visible.js';
import { type Personal, personalForm, personalPage } from '../personal.js';

const PATH = '/settings/filters';
const API = '/api/v2/filters';
/** Bounds the input; the account's own rules enforce shorter lengths. */
const LINE_CHARS_MAX = 2_000;
const LINES_CHARS_MAX = 200_000;

const text = (maxLength: number) => Type.String({ default: '', maxLength });
const fields = {
  title: text(LINE_CHARS_MAX),
  context: Type.Array(text(LINE_CHARS_MAX), { default: [], maxItems: 20 }),
  filter_action: text(LINE_CHARS_MAX),
  expires: text(LINE_CHARS_MAX),
  words: text(LINES_CHARS_MAX),
  parts: text(LINES_CHARS_MAX),
};

const NEW: TypedFilter = {
  title: '',
  context: ['home', 'notifications', 'public', 'thread', 'account'],
  filter_action: 'warn',
  expires: 'never',
  words: '',
  parts: '',
};

type Own = Personal<unknown, unknown, unknown>;
type Keyword = NonNullable<Filter['keywords']>[number];

const list = personalPage(
  { path: PATH, query: Type.Object({ saved: Type.Optional(Type.Boolean()) }) },
  async ({ api, site, reader, request }) => {
    const { body } = await api<Filter[]>({ method: 'GET', path: API });
    const nowMs = request.services.clock.wallMs();
    return filtersPage(site, reader, { filters: body, isSaved: request.query.saved === true, nowMs });
  },
);

const blank = personalPage({ path: `${PATH}/new` }, async ({ site, reader, request }) =>
  filterPage(site, reader, { id: undefined, typed: { ...NEW, ...request.refused?.typed } }),
);

const show = personalPage({ path: `${PATH}/:id`, params: idParams }, async ({ api, site, reader, request }) => {
  const { id } = request.params;
  const { status, body } = await api<Filter>({ method: 'GET', path: `${API}/${id}` });
  if (status !== 200) return notFound();
  return filterPage(site, reader, { id, typed: { ...typedOf(body), ...request.refused?.typed } });
});

const create = personalForm({ path: PATH, page: blank, body: fields }, async (personal) => {
  const typed: TypedFilter = personal.request.body;
  const body = { ...wanted(typed), keywords_attributes: linesOf(typed) };
  return done(personal, undefined, typed, await personal.api({ method: 'POST', path: API, body }));
});

const update = personalForm({ path: `${PATH}/:id`, page: show, params: idParams, body: fields }, async (personal) => {
  const { id } = personal.request.params;
  const typed: TypedFilter = personal.request.body;
  const path = `${API}/${id}`;
  const stored = await personal.api<Filter>({ method: 'GET', path });
  if (stored.status !== 200) return notFound();
  const body = { ...wanted(typed), keywords_attributes: changesOf(stored.body.keywords ?? [], linesOf(typed)) };
  return done(personal, id, typed, await personal.api({ method: 'PUT', path, body }));
});

const remove = personalForm({ path: `${PATH}/:id/delete`, params: idParams, body: {} }, async ({ api, request }) => {
  const { status } = await api({ method: 'DELETE', path: `${API}/${request.params.id}` });
  return status === 200 ? redirect(`${PATH}?saved=true`, 303) : notFound();
});

/** Filters of a person. */
export const filterPageRoutes: readonly AnyRoute[] = [list, blank, show, create, update, remove];

const lines = (typed: string) => [...new Set(typed.split('\n').map((line) => line.trim()))].filter((one) => one !== '');

/** Returns the keywords of the two fields. The first that is too many is included, so that the API refuses them. */
const linesOf = ({ words, parts }: TypedFilter) =>
  [
    ...lines(words).map((keyword) => ({ keyword, whole_word: true })),
    ...lines(parts).map((keyword) => ({ keyword, whole_word: false })),
  ].slice(0, FILTER_KEYWORDS_MAX + 1);

/** Returns what turns the stored keywords into those that were typed. Equal ones keep their ids. */
function changesOf(stored: readonly Keyword[], typed: ReturnType<typeof linesOf>) {
  const isSame = (a: Omit<Keyword, 'id'>, b: Omit<Keyword, 'id'>) =>
    a.keyword === b.keyword && a.whole_word === b.whole_word;
  const gone = stored.filter((one) => !typed.some((line) => isSame(one, line)));
  const added = typed.filter((line) => !stored.some((one) => isSame(one, line)));
  return [...gone.map(({ id }) => ({ id, _destroy: true })), ...added];
}

const wanted = ({ title, context, filter_action, expires }: TypedFilter) => ({
  title,
  context,
  filter_action,
  ...(expires !== 'keep' && { expires_in: expires === 'never' ? null : expires }),
});

function typedOf({ title, context, filter_action, keywords = [] }: Filter): TypedFilter {
  const inLines = (isWhole: boolean) =>
    keywords
      .filter(({ whole_word }) => whole_word === isWhole)
      .map(({ keyword }) => keyword)
      .join('\n');
  return { title, context, filter_action, expires: 'keep', words: inLines(true), parts: inLines(false) };
}

/** Returns to the list, or shows the form as it was typed with the refusal at the field. */
function done(personal: Own, id: string | undefined, typed: TypedFilter, { status, body }: ApiAnswer) {
  if (status === 200) return redirect(`${PATH}?saved=true`, 303);
  return filterPage(personal.site, personal.reader, { id, typed, faults: faultsOf(body as Refused) });
}

interface Refused {
  readonly error?: string;
  readonly details?: Readonly<Record<string, readonly { readonly description: string }[]>>;
}

function faultsOf({ error = '', details = {} }: Refused): Faults {
  const [field = ''] = Object.keys(details);
  if (field === 'title' || field === 'context') return { [field]: error };
  return { [field.includes('keyword') ? 'words' : 'base']: error };
}
