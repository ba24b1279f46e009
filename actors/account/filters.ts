import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { type Problem, problem } from '../domain/problem.js';
import type { Ctx, Decision, Recorded, Slice } from '../runtime/slice.js';
import { followLanguages, type RelationState } from './relations.js';

export interface Commands {
  screen: { in: P.AccountEmpty; out: P.AccountScreen };
  saveFilter: { in: P.AccountSaveFilter; out: P.AccountFilter };
  removeFilter: { in: P.AccountFilterId; out: P.AccountEmpty };
  savePhrase: { in: P.AccountSavePhrase; out: P.AccountFilterKeyword };
  saveKeyword: { in: P.AccountSaveKeyword; out: P.AccountFilterKeyword };
  removeKeyword: { in: P.AccountRemoveKeyword; out: P.AccountEmpty };
  addFilteredStatus: { in: P.AccountAddFilteredStatus; out: P.AccountFilteredStatus };
  removeFilteredStatus: { in: P.AccountFilterId; out: P.AccountFilteredStatus };
}
export interface Events {
  filterSaved: P.AccountFilterSaved;
  filterRemoved: P.AccountFilterRemoved;
}

/** Bounds what each page has to check. */
export const FILTERS_MAX = 100;
/** Keywords of all filters together: at three bytes a character they fit one message between nodes. */
export const FILTER_KEYWORDS_MAX = 300;
/** Statuses in all filters together. Bounds the size of the filters in a message. */
export const FILTERED_STATUSES_MAX = 500;
/** Source: Mastodon CustomFilter::TITLE_LENGTH_LIMIT. */
export const FILTER_TITLE_CHARS_MAX = 256;
/** Source: Mastodon CustomFilterKeyword::KEYWORD_LENGTH_LIMIT. */
export const FILTER_KEYWORD_CHARS_MAX = 512;
/** The contexts to which a filter may apply. */
export const FILTER_CONTEXTS = ['home', 'notifications', 'public', 'thread', 'account'] as const;
/** The actions of a filter on a matching status. */
export const FILTER_ACTIONS = ['warn', 'hide', 'blur'] as const;

const missing = (): Problem => problem('not_found', 'Record not found');
const empty = codec('murmuration.account.Empty');
const keywordCodec = codec('murmuration.account.FilterKeyword');
const statusCodec = codec('murmuration.account.FilteredStatus');

/** Filters of statuses by words and by status. Versions 1 and 2 of the API share this state. */
export const filters: Slice<RelationState, Commands, Events> = {
  decide: {
    screen: (state) => ({
      events: [],
      reply: {
        filters: [...state.filters.values()],
        domains: [...state.blockedDomains.keys()],
        languages: followLanguages(state),
      },
    }),
    saveFilter(state, command, ctx) {
      const known = command.id === undefined ? undefined : state.filters.get(command.id);
      if (command.id !== undefined && known === undefined) return missing();
      const next = changed(known, command, ctx);
      return isRefusal(next) ? next : saved(state, next, next);
    },
    removeFilter: (state, { id }) =>
      state.filters.has(id) ? { events: [{ type: 'filterRemoved', id }], reply: {} } : missing(),
    savePhrase(state, { id, phrase, irreversible, ...command }, ctx) {
      const known = id === undefined ? undefined : holding(state, 'keywords', id);
      if (id !== undefined && known === undefined) return missing();
      const keyword = { id, keyword: phrase, wholeWord: command.wholeWord, destroy: false };
      const action = irreversible === undefined ? undefined : irreversible ? 'hide' : 'warn';
      const title = known === undefined ? phrase.slice(0, FILTER_TITLE_CHARS_MAX) : undefined;
      const { context, expiresInMs } = command;
      const next = changed(known, { title, context, action, expiresInMs, keywords: [keyword] }, ctx);
      if (isRefusal(next)) return next;
      if (known !== undefined && known.keywords.length > 1 && !rulesAreSame(known, next))
        return problem(
          'invalid',
          'Validation failed: These parameters cannot be changed from this application because they apply to more than one filter keyword. Use a more recent application or the web interface.',
        );
      const reply = next.keywords.find((one) => one.id === (id ?? next.keywords.at(-1)?.id));
      return reply === undefined ? missing() : saved(state, next, reply);
    },
    saveKeyword(state, { filterId, id, keyword, wholeWord }, ctx) {
      const known = id === undefined ? state.filters.get(filterId ?? '') : holding(state, 'keywords', id);
      if (known === undefined) return missing();
      const keywords = [{ id, keyword, wholeWord, destroy: false }];
      const next = changed(known, { context: [], keywords }, ctx);
      if (isRefusal(next)) return next;
      const reply = next.keywords.find((one) => one.id === (id ?? next.keywords.at(-1)?.id));
      return reply === undefined ? missing() : saved(state, next, reply);
    },
    removeKeyword(state, { id, lastTakesFilter }) {
      const known = holding(state, 'keywords', id);
      if (known === undefined) return missing();
      const keywords = known.keywords.filter((one) => one.id !== id);
      if (lastTakesFilter && keywords.length === 0)
        return { events: [{ type: 'filterRemoved', id: known.id }], reply: {} };
      return saved(state, { ...known, keywords }, {});
    },
    addFilteredStatus(state, { filterId, statusId }, { newId }) {
      const known = state.filters.get(filterId);
      if (known === undefined) return missing();
      if (known.statuses.some((one) => one.statusId === statusId)) {
        const error = { error: 'ERR_TAKEN', description: 'has already been taken' };
        return problem('invalid', 'Validation failed: Status has already been taken', { status_id: [error] });
      }
      const added = { id: newId(), statusId };
      return saved(state, { ...known, statuses: [...known.statuses, added] }, added);
    },
    removeFilteredStatus(state, { id }) {
      const known = holding(state, 'statuses', id);
      const gone = known?.statuses.find((one) => one.id === id);
      if (known === undefined || gone === undefined) return missing();
      return saved(state, { ...known, statuses: known.statuses.filter((one) => one !== gone) }, gone);
    },
  },
  apply: {
    filterSaved: (state, { filter }) => void (filter !== undefined && state.filters.set(filter.id, filter)),
    filterRemoved: (state, { id }) => void state.filters.delete(id),
  },
  commands: {
    screen: { in: empty, out: codec('murmuration.account.Screen'), repeats: 'query', local: true },
    saveFilter: {
      in: codec('murmuration.account.SaveFilter'),
      out: codec('murmuration.account.Filter'),
      repeats: 'keyed',
      local: true,
    },
    removeFilter: { in: codec('murmuration.account.FilterId'), out: empty, repeats: 'keyed', local: true },
    savePhrase: { in: codec('murmuration.account.SavePhrase'), out: keywordCodec, repeats: 'keyed', local: true },
    saveKeyword: { in: codec('murmuration.account.SaveKeyword'), out: keywordCodec, repeats: 'keyed', local: true },
    removeKeyword: { in: codec('murmuration.account.RemoveKeyword'), out: empty, repeats: 'keyed', local: true },
    addFilteredStatus: {
      in: codec('murmuration.account.AddFilteredStatus'),
      out: statusCodec,
      repeats: 'keyed',
      local: true,
    },
    removeFilteredStatus: {
      in: codec('murmuration.account.FilterId'),
      out: statusCodec,
      repeats: 'keyed',
      local: true,
    },
  },
  events: {
    filterSaved: {
      codec: codec('murmuration.account.FilterSaved'),
      invalidates: true,
      forgets: true,
      changesRelations: true,
    },
    filterRemoved: {
      codec: codec('murmuration.account.FilterRemoved'),
      invalidates: false,
      forgets: true,
      changesRelations: true,
    },
  },
};

const isRefusal = (value: P.AccountFilter | Problem): value is Problem => 'problem' in value;

/** Returns the filter that contains the keyword, or the status, with this id. */
function holding(state: Readonly<RelationState>, kind: 'keywords' | 'statuses', id: string) {
  for (const filter of state.filters.values()) if (filter[kind].some((one) => one.id === id)) return filter;
  return undefined;
}

/** Records the filter if it changed. Refuses it if the account's filters together exceed a limit. */
function saved<R>(state: Readonly<RelationState>, next: P.AccountFilter, reply: R): Decision<Events, R> {
  const known = state.filters.get(next.id);
  if (known === undefined && state.filters.size >= FILTERS_MAX) return tooMany('filters', FILTERS_MAX);
  let [keywords, statuses] = [next.keywords.length, next.statuses.length];
  for (const filter of state.filters.values()) {
    if (filter === known) continue;
    keywords += filter.keywords.length;
    statuses += filter.statuses.length;
  }
  if (keywords > FILTER_KEYWORDS_MAX && next.keywords.length > (known?.keywords.length ?? 0))
    return tooMany('keywords', FILTER_KEYWORDS_MAX);
  if (statuses > FILTERED_STATUSES_MAX && next.statuses.length > (known?.statuses.length ?? 0))
    return tooMany('filtered statuses', FILTERED_STATUSES_MAX);
  const isSame = known !== undefined && JSON.stringify(known) === JSON.stringify(next);
  const event: Recorded<Events> = { type: 'filterSaved', filter: next };
  return { events: isSame ? [] : [event], reply };
}

/** Returns the filter with the changes of the command, or the refusal. */
function changed(
  known: P.AccountFilter | undefined,
  command: P.AccountSaveFilter,
  { nowMs, newId }: Ctx,
): P.AccountFilter | Problem {
  const title = command.title?.trim() ?? known?.title ?? '';
  if (title === '') return invalid('title', 'Title', 'ERR_BLANK', "can't be blank");
  if (title.length > FILTER_TITLE_CHARS_MAX) return tooLong('title', 'Title', FILTER_TITLE_CHARS_MAX);
  const wanted = command.context.length > 0 ? command.context : (known?.context ?? []);
  const context = FILTER_CONTEXTS.filter((one) => wanted.includes(one));
  if (context.length === 0 || new Set(wanted).size !== context.length)
    return invalid('context', 'Context', 'ERR_INCLUSION', 'None or invalid context supplied');
  const action = command.action ?? known?.action ?? 'warn';
  if (!FILTER_ACTIONS.some((one) => one === action))
    return invalid('filter_action', 'Filter action', 'ERR_INCLUSION', 'is not included in the list');
  const keywords = changedKeywords(known?.keywords ?? [], command.keywords, newId);
  if ('problem' in keywords) return keywords;
  return {
    id: known?.id ?? newId(),
    title,
    context,
    action,
    expiresAtMs: expiry(command.expiresInMs, known?.expiresAtMs ?? 0, nowMs),
    keywords,
    statuses: known?.statuses ?? [],
  };
}

function expiry(inMs: number | undefined, knownAtMs: number, nowMs: number): number {
  if (inMs === undefined) return knownAtMs;
  return inMs < 0 ? 0 : nowMs + inMs;
}

function changedKeywords(
  known: readonly P.AccountFilterKeyword[],
  changes: readonly P.AccountKeywordChange[],
  newId: () => string,
): P.AccountFilterKeyword[] | Problem {
  const keywords = new Map(known.map((one) => [one.id, one]));
  for (const { id, keyword, wholeWord, destroy } of changes) {
    const old = id === undefined ? undefined : keywords.get(id);
    if (id !== undefined && old === undefined) return missing();
    if (destroy) {
      if (old !== undefined) keywords.delete(old.id);
      continue;
    }
    const next = { id: old?.id ?? newId(), keyword: keyword?.trim() ?? old?.keyword ?? '' };
    if (next.keyword === '') return invalid('keyword', 'Keyword', 'ERR_BLANK', "can't be blank");
    if (next.keyword.length > FILTER_KEYWORD_CHARS_MAX) return tooLong('keyword', 'Keyword', FILTER_KEYWORD_CHARS_MAX);
    keywords.set(next.id, { ...next, wholeWord: wholeWord ?? old?.wholeWord ?? false });
  }
  return [...keywords.values()];
}

/** Compares everything but the keywords. */
function rulesAreSame(a: P.AccountFilter, b: P.AccountFilter): boolean {
  return a.action === b.action && a.expiresAtMs === b.expiresAtMs && a.context.join() === b.context.join();
}

function tooMany(what: string, max: number): Problem {
  return problem('limit_reached', `Validation failed: You cannot have more than ${max} ${what}`);
}

function tooLong(field: string, label: string, max: number): Problem {
  return invalid(field, label, 'ERR_TOO_LONG', `is too long (maximum is ${max} characters)`);
}

function invalid(field: string, label: string, error: string, description: string): Problem {
  return problem('invalid', `Validation failed: ${label} ${description}`, { [field]: [{ error, description }] });
}
