import type { StoreStatusRecord } from '../../proto/gen/types.js';

/** Operators of one query; more have no practical use. */
const OPERATORS_MAX = 12;
const DAY_MS = 86_400_000;

/**
 * Parts of a query that describe properties of statuses instead of their text. Source: Mastodon SearchQueryTransformer.
 */
export interface Operators {
  readonly all: readonly Operator[];
  /** Account names in `from:`. */
  readonly from: readonly string[];
  /** Statuses to search: all, the viewer's library, or public ones. */
  readonly within: 'all' | 'library' | 'public';
}

interface Operator {
  readonly name: string;
  readonly value: string;
  /** Written with a minus: selects statuses that do not match it. */
  readonly isNegated: boolean;
}

const PATTERN = /"[^"]*"|(?<=^|\s)([-+]?)(has|is|language|from|before|after|during|in):("[^"]*"|\S+)/gi;

const PLACES: readonly string[] = ['all', 'library', 'public'];

/** Separates the operators from a query; phrases in quotation marks stay in the rest. */
export function takeOperators(question: string): { readonly rest: string; readonly operators: Operators | undefined } {
  const all: Operator[] = [];
  const rest = question.replaceAll(PATTERN, (whole, sign: string | undefined, name: string | undefined, text = '') => {
    if (name === undefined) return whole;
    const value = String(text).replaceAll('"', '').trim().toLowerCase();
    if (all.length < OPERATORS_MAX) all.push({ name: name.toLowerCase(), value, isNegated: sign === '-' });
    return ' ';
  });
  if (all.length === 0) return { rest, operators: undefined };
  const from = [...new Set(all.filter(({ name }) => name === 'from').map(({ value }) => value))];
  const place = all.findLast(({ name, value }) => name === 'in' && PLACES.includes(value))?.value;
  return { rest, operators: { all, from, within: (place ?? 'all') as Operators['within'] } };
}

/** Returns true if a status matches all operators. `accounts` maps the names in `from:` to ids. */
export function fits(
  record: StoreStatusRecord,
  { all, within }: Operators,
  accounts: ReadonlyMap<string, string>,
): boolean {
  if (within === 'public' && record.visibility !== 'public') return false;
  return all.every((one) => one.name === 'in' || isSo(record, one, accounts) !== one.isNegated);
}

/** Returns the only account whose statuses a query selects; undefined if it selects several, or excludes some. */
export function onlyFrom({ all }: Operators, accounts: ReadonlyMap<string, string>): string | undefined {
  const [one, ...others] = all.filter(({ name, isNegated }) => name === 'from' && !isNegated);
  return one === undefined || others.length > 0 ? undefined : accounts.get(one.value);
}

function isSo(record: StoreStatusRecord, { name, value }: Operator, accounts: ReadonlyMap<string, string>): boolean {
  if (name === 'from') return accounts.get(value) === record.accountId;
  if (name === 'language') return record.language?.toLowerCase() === value;
  if (name === 'has' || name === 'is') return PROPERTIES[value]?.(record) === true;
  const dayMs = dayOf(value);
  if (dayMs === undefined) return false;
  const { createdAtMs } = record;
  if (name === 'before') return createdAtMs < dayMs;
  return name === 'after' ? createdAtMs >= dayMs + DAY_MS : createdAtMs >= dayMs && createdAtMs < dayMs + DAY_MS;
}

const hasKind = (kind: string) => (record: StoreStatusRecord) =>
  record.media?.media.some((one) => one.kind === kind) === true;

/** Properties that `has:` and `is:` test. */
const PROPERTIES: Readonly<Record<string, (record: StoreStatusRecord) => boolean>> = {
  media: ({ media }) => (media?.media.length ?? 0) > 0,
  image: hasKind('image'),
  video: hasKind('video'),
  gifv: hasKind('gifv'),
  audio: hasKind('audio'),
  poll: ({ poll }) => poll !== undefined,
  link: ({ card }) => card !== undefined,
  embed: ({ card }) => card?.type === 'video',
  quote: ({ quote }) => quote !== undefined,
  reply: ({ inReplyToId }) => inReplyToId !== undefined,
  sensitive: ({ sensitive }) => sensitive,
};

/** Returns the beginning of a day in UTC, milliseconds. */
function dayOf(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
