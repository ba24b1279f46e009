import type { AccountFilter, AccountFilteredStatus, AccountFilterKeyword } from '../../../proto/gen/types.js';
import { isoTime } from '../../paging/iso-time.js';
import type { FilterMatch } from '../../viewing/filters.js';

/** The REST API's FilterKeyword. */
export interface FilterKeyword {
  readonly id: string;
  readonly keyword: string;
  readonly whole_word: boolean;
}
/** The REST API's FilterStatus. */
export interface FilterStatus {
  readonly id: string;
  readonly status_id: string;
}
/** The REST API's Filter; without keywords and statuses if it is part of a FilterResult. */
export interface Filter {
  readonly id: string;
  readonly title: string;
  readonly context: readonly string[];
  readonly expires_at: string | null;
  readonly filter_action: string;
  readonly keywords?: readonly FilterKeyword[];
  readonly statuses?: readonly FilterStatus[];
}
/** The REST API's V1Filter: one keyword. */
export interface V1Filter {
  readonly id: string;
  readonly phrase: string;
  readonly context: readonly string[];
  readonly whole_word: boolean;
  readonly expires_at: string | null;
  readonly irreversible: boolean;
}
/** The REST API's FilterResult. */
export interface FilterResult {
  readonly filter: Filter;
  readonly keyword_matches: readonly string[] | null;
  readonly status_matches: readonly string[] | null;
}

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
