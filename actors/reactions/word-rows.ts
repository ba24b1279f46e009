import type { AccountPosted, StoreStatusRecord } from '../../proto/gen/types.js';
import { put, RANGE_LIMIT_MAX, type ReadTables, type RowWrite, remove } from '../../store/port.js';
import { accountWords, nameIndex, statusIndex, statusWords } from '../../store/tables.js';
import type { AccountState } from '../account/slices.js';
import { nameWords, STATUS_WORDS_MAX, wordBucket, wordStart, wordsOf } from '../domain/text/words.js';

type Reading = Pick<ReadTables, 'range'>;

// The key of a word ends with a full stop: bounds of ranges are exclusive, and a search for a whole word must find it.
const nameKey = (word: string, account: string) => ({ start: wordStart(word), word: `${word}.`, account });
const nameRow = (word: string, account: string): RowWrite[] => [
  put(nameIndex, nameKey(word, account), {}),
  put(accountWords, { account, word }, {}),
];
const unnamedRow = (word: string, account: string): RowWrite[] => [
  remove(nameIndex, nameKey(word, account)),
  remove(accountWords, { account, word }),
];

/** Returns the words by which an account is found. */
const wordsOfName = ({ owner, origin, profile }: Readonly<AccountState>) =>
  nameWords(owner?.username ?? origin?.username ?? '', profile.displayName);

/** Returns the rows by which a new account is found. */
export function newNameRows(state: Readonly<AccountState>): RowWrite[] {
  const { id } = state;
  return wordsOfName(state).flatMap((word) => nameRow(word, id));
}

/** Returns the removals for an account that was not created after all. */
export async function namelessRows(tables: Reading, id: string): Promise<RowWrite[]> {
  const rows = await tables.range(accountWords, { account: id }, { limit: RANGE_LIMIT_MAX });
  return rows.flatMap(({ key }) => unnamedRow(key.word, id));
}

/** Returns the row changes after a profile was changed, including the removal of former names. */
export async function nameRows(tables: Reading, state: Readonly<AccountState>): Promise<RowWrite[]> {
  const { id } = state;
  const now = new Set(wordsOfName(state));
  const rows = await tables.range(accountWords, { account: id }, { limit: RANGE_LIMIT_MAX });
  const before = rows.map(({ key }) => key.word);
  return [
    ...before.filter((word) => !now.has(word)).flatMap((word) => unnamedRow(word, id)),
    ...[...now].filter((word) => !before.includes(word)).flatMap((word) => nameRow(word, id)),
  ];
}

/** Returns the index rows of a public status. Call it only if its author permits indexing. */
export function statusWordRows(
  account: string,
  { id, text, spoilerText, visibility }: Pick<AccountPosted, 'id' | 'text' | 'spoilerText' | 'visibility'>,
): RowWrite[] {
  if (visibility !== 'public') return [];
  const words = wordsOf(`${spoilerText}\n${text}`, STATUS_WORDS_MAX);
  const bucket = wordBucket(id);
  return [
    ...words.map((word) => put(statusIndex, { word, bucket, status: id }, { accountId: account })),
    put(statusWords, { status: id, part: 0 }, { words }),
  ];
}

/** Returns the row changes after an edit, if the status was indexed before. */
export async function rewordedRows(tables: Reading, record: StoreStatusRecord): Promise<RowWrite[]> {
  const { id, accountId, text, spoilerText } = record;
  const [row] = await tables.range(statusWords, { status: id }, { limit: 1 });
  if (row === undefined) return [];
  const [before, words] = [row.value.words, wordsOf(`${spoilerText}\n${text}`, STATUS_WORDS_MAX)];
  const bucket = wordBucket(id);
  return [
    ...words
      .filter((word) => !before.includes(word))
      .map((word) => put(statusIndex, { word, bucket, status: id }, { accountId })),
    ...before.filter((word) => !words.includes(word)).map((word) => remove(statusIndex, { word, bucket, status: id })),
    put(statusWords, row.key, { words }),
  ];
}

/** Returns the removals of a status from the search index. */
export async function unindexedRows(tables: Reading, status: string): Promise<RowWrite[]> {
  const bucket = wordBucket(status);
  const rows = await tables.range(statusWords, { status }, { limit: 1 });
  return rows.flatMap(({ key, value }) => [
    ...value.words.map((word) => remove(statusIndex, { word, bucket, status })),
    remove(statusWords, key),
  ]);
}
