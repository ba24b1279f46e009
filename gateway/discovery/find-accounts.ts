import { comparable, WORD_CHARS_MAX, wordStart, wordsOf } from '../../actors/domain/words.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { nameIndex } from '../../store/tables.js';
import { isPublished, isSuspended } from '../entities/account.js';
import { loadAccounts } from '../entities/status.js';
import { blocksDomainOf } from '../screening/screen.js';
import type { Services } from '../services.js';
import { relationsOf } from '../visible.js';

/** Words of a question that are looked up. */
export const QUERY_WORDS_MAX = 6;
/** Accounts looked at for one word: bounds one question; what begins alike is rarely so much. */
const ROWS_MAX = 500;
/** Follows every possible continuation of a word. */
const AFTER_ALL = '\u{10ffff}';

export interface AccountsWanted {
  readonly limit: number;
  readonly offset: number;
  /** Only those whom the viewer follows. */
  readonly following: boolean;
}

/** Local accounts whose names have all words of the question, or begin so; those named exactly so first. */
export async function findAccounts(
  services: Services,
  viewer: string | undefined,
  question: string,
  { limit, offset, following }: AccountsWanted,
): Promise<StoreAccountRecord[]> {
  const [name = '', domain, ...rest] = question.trim().replace(/^@/, '').toLowerCase().split('@');
  const isElsewhere = domain !== undefined && domain !== services.instance.domain.toLowerCase();
  if (isElsewhere || rest.length > 0) return [];
  const [exact, alike, relations] = await Promise.all([
    /^[a-z0-9_.-]+$/.test(name) ? services.registry.find(`acct:${name}`) : undefined,
    domain === undefined ? withWords(services, wordsOf(question, QUERY_WORDS_MAX)) : [],
    relationsOf(services, viewer),
  ]);
  const records = await loadAccounts(services, [...new Set([...(exact === undefined ? [] : [exact]), ...alike])]);
  const rank = (record: StoreAccountRecord) =>
    (record.id === exact ? 2 : 0) + (relations(record.id)?.following === true ? 1 : 0);
  return [...records.values()]
    .filter((record) => {
      const relation = relations(record.id);
      // Mutes hide what people say, not who they are.
      if (!isPublished(record) || isSuspended(record) || relation?.blocking || relation?.blockedBy) return false;
      const isFollowed = relation?.following === true;
      if (following && !isFollowed) return false;
      // Others of these are found by whoever knows their name, and not by chance.
      const isFound = record.id === exact || isFollowed || record.id === viewer;
      if (!isFound && services.limits.silenced(record.id)) return false;
      return isFollowed || !blocksDomainOf(relations.screen, record);
    })
    .sort((a, b) => rank(b) - rank(a) || b.followers - a.followers || b.lastStatusAtMs - a.lastStatusAtMs)
    .slice(offset, offset + limit);
}

/** Accounts that have something that begins so for each of the words. */
async function withWords({ tables }: Services, words: readonly string[]): Promise<string[]> {
  const sets = await Promise.all(
    words.map(async (written) => {
      const word = comparable(written).slice(0, WORD_CHARS_MAX);
      const range = { after: { word }, before: { word: `${word}${AFTER_ALL}` }, limit: ROWS_MAX };
      const rows = await tables.range(nameIndex, { start: wordStart(word) }, range);
      return new Set(rows.map(({ key }) => key.account));
    }),
  );
  const [first, ...others] = sets;
  return [...(first ?? [])].filter((id) => others.every((set) => set.has(id)));
}
