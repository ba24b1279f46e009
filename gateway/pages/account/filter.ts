import { Type } from '@sinclair/typebox';
import type { AccountFilter, AccountFilteredStatus, AccountFilterKeyword } from '../../../proto/gen/types.js';
import { entity, nullable, oneOf, type Shape, time } from '../../http/entity.js';
import { isoTime } from '../../paging/iso-time.js';
import type { FilterMatch } from '../../viewing/filters.js';

const contexts = Type.Array(oneOf('home', 'notifications', 'public', 'thread', 'account'));

/** The REST API's FilterKeyword. */
export const FilterKeyword = entity('FilterKeyword', {
  id: Type.String(),
  keyword: Type.String(),
  whole_word: Type.Boolean(),
});
export type FilterKeyword = Shape<typeof FilterKeyword>;
/** The REST API's FilterStatus. */
export const FilterStatus = entity('FilterStatus', { id: Type.String(), status_id: Type.String() });
export type FilterStatus = Shape<typeof FilterStatus>;
/** The REST API's Filter; without keywords and statuses if it is part of a FilterResult. */
export const Filter = entity('Filter', {
  id: Type.String(),
  title: Type.String(),
  context: contexts,
  expires_at: nullable(time()),
  filter_action: oneOf('warn', 'hide', 'blur'),
  keywords: Type.Optional(Type.Array(FilterKeyword)),
  statuses: Type.Optional(Type.Array(FilterStatus)),
});
export type Filter = Shape<typeof Filter>;
/** The REST API's V1Filter: one keyword. */
export const V1Filter = entity('V1Filter', {
  id: Type.String(),
  phrase: Type.String(),
  context: contexts,
  whole_word: Type.Boolean(),
  expires_at: nullable(time()),
  irreversible: Type.Boolean(),
});
export type V1Filter = Shape<typeof V1Filter>;
/** The REST API's FilterResult. */
export const FilterResult = entity('FilterResult', {
  filter: Filter,
  keyword_matches: nullable(Type.Array(Type.String())),
  status_matches: nullable(Type.Array(Type.String())),
});
export type FilterResult = Shape<typeof FilterResult>;

export const renderFilterKeyword = ({ id, keyword, wholeWord }: AccountFilterKeyword): FilterKeyword => ({
  id,
  keyword,
  whole_word: wholeWord,
});
export const renderFilterStatus = ({ id, statusId }: AccountFilteredStatus): FilterStatus => ({
  id,
  status_id: statusId,
});

/** Renders a complete filter. */
export function renderFilter(filter: AccountFilter): Filter {
  return {
    ...renderRule(filter),
    keywords: filter.keywords.map(renderFilterKeyword),
    statuses: filter.statuses.map(renderFilterStatus),
  };
}

/** Renders one of a filter's keywords in the form of the older API. */
export function renderV1Filter(filter: AccountFilter, { id, keyword, wholeWord }: AccountFilterKeyword): V1Filter {
  return {
    id,
    phrase: keyword,
    context: filter.context,
    whole_word: wholeWord,
    expires_at: expiresAt(filter),
    irreversible: filter.action === 'hide',
  };
}

export function renderFilterResult({ filter, keywords, statuses }: FilterMatch): FilterResult {
  return {
    filter: renderRule(filter),
    keyword_matches: keywords.length > 0 ? keywords : null,
    status_matches: statuses.length > 0 ? statuses : null,
  };
}

function renderRule(filter: AccountFilter): Filter {
  const { id, title, context, action } = filter;
  return { id, title, context, expires_at: expiresAt(filter), filter_action: action };
}

const expiresAt = ({ expiresAtMs }: AccountFilter): string | null => (expiresAtMs > 0 ? isoTime(expiresAtMs) : null);
