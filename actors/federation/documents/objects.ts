import type { StoreAccountRecord, StoreStatusRecord } from '../../../proto/gen/types.js';
import type { ReadTables } from '../../../store/port.js';
import { accounts, statuses } from '../../../store/tables.js';
import { accountUri, acctOf, contextUri, isLocal, stampUri, statusUri } from '../../domain/addresses.js';
import { maySee } from '../../domain/visibility.js';
import type { EmojiPicture } from './context.js';
import { type NotedQuote, noteDocument } from './note.js';
import { announceActivity, createActivity } from './publishing.js';

/** Everything that documents of statuses are rendered from. */
export interface Rendering {
  readonly tables: Pick<ReadTables, 'getMany'>;
  readonly baseUrl: string;
  /** Part after the @ in an account's address. */
  readonly domain: string;
  /** Returns the custom emoji of this server that these texts use. */
  emojiIn(...texts: readonly string[]): readonly EmojiPicture[];
  nowMs(): number;
}

/** A status to be rendered, as its receivers may see it. */
export interface Shown {
  readonly record: StoreStatusRecord;
  /** The reblogged status. */
  readonly original: StoreStatusRecord | undefined;
  /** The status that it quotes with its author's consent. */
  readonly quoted: StoreStatusRecord | undefined;
}

/**
 * Renders statuses of one local author as objects, or as the activities that published them. The receiver may see them
 * all. Loads what all of them name in two reads. @throws Unavailable
 */
export async function objectsOf(
  rendering: Rendering,
  author: StoreAccountRecord,
  shown: readonly Shown[],
  as: 'object' | 'activity',
): Promise<object[]> {
  const named = await Named.load(rendering, shown);
  return shown.map((status) => {
    if (status.original !== undefined) return named.announce(author, status.record, status.original);
    const note = named.note(author, status);
    return as === 'object' ? note : createActivity(note);
  });
}

/** Renders a status of a local author that is no reblog as a Note or a Question. @throws Unavailable */
export async function noteOf(rendering: Rendering, author: StoreAccountRecord, shown: Shown) {
  return (await Named.load(rendering, [shown])).note(author, shown);
}

const isForAll = (record: StoreStatusRecord): boolean => maySee(record, undefined, undefined);

/** Returns the id of the first status of the conversation; undefined if it is this one. */
const rootOf = ({ id, conversationId }: StoreStatusRecord): string | undefined =>
  conversationId === id ? undefined : conversationId;

/** The statuses and accounts that a list of statuses names. */
class Named {
  private constructor(
    private readonly rendering: Rendering,
    private readonly statuses: ReadonlyMap<string, StoreStatusRecord>,
    private readonly accounts: ReadonlyMap<string, StoreAccountRecord>,
  ) {}

  static async load(rendering: Rendering, shown: readonly Shown[]): Promise<Named> {
    const { tables } = rendering;
    const around = new Set(shown.flatMap(({ record }) => [record.inReplyToId ?? [], rootOf(record) ?? []].flat()));
    const keys = Array.from(around, (status) => ({ status }));
    const loaded = keys.length === 0 ? [] : await tables.getMany(statuses, keys);
    const found = loaded.flatMap((one) => (one?.deleted === false ? one : []));
    const people = new Set([
      ...shown.flatMap(({ record, original, quoted }) => [
        ...record.mentions.map(({ accountId }) => accountId),
        original?.accountId ?? [],
        quoted?.accountId ?? [],
      ]),
      ...found.map(({ accountId }) => accountId),
    ]);
    const ids = Array.from(people).flat();
    const records =
      ids.length === 0
        ? []
        : await tables.getMany(
            accounts,
            ids.map((account) => ({ account })),
          );
    return new Named(
      rendering,
      new Map(found.map((one) => [one.id, one])),
      new Map(records.flatMap((one) => (one === undefined ? [] : [[one.id, one] as const]))),
    );
  }

  note(author: StoreAccountRecord, { record, quoted }: Shown) {
    const { baseUrl } = this.rendering;
    const options = record.poll?.options.map(({ title }) => title) ?? [];
    return noteDocument(record, {
      baseUrl,
      author,
      parentUri: this.#uriOf(this.#namedBy(record, record.inReplyToId)),
      contextUri: this.#contextOf(record),
      mentions: record.mentions.flatMap(({ accountId }) => this.#mention(accountId)),
      emojis: this.rendering.emojiIn(record.spoilerText, record.text, ...options),
      quote: this.#quoteOf(record, quoted),
      nowMs: this.rendering.nowMs(),
    });
  }

  announce(author: StoreAccountRecord, record: StoreStatusRecord, original: StoreStatusRecord) {
    const { baseUrl } = this.rendering;
    const writer = this.accounts.get(original.accountId);
    return announceActivity({
      id: statusUri(baseUrl, record, author),
      actor: accountUri(baseUrl, author),
      visibility: record.visibility,
      atMs: record.createdAtMs,
      object: this.#uriOf(original) ?? '',
      author: writer === undefined ? '' : accountUri(baseUrl, writer),
    });
  }

  /**
   * Returns an earlier status of the conversation. A public reply does not name one that not everybody may see: the
   * address says that it exists.
   */
  #namedBy(record: StoreStatusRecord, id: string | undefined): StoreStatusRecord | undefined {
    const earlier = this.statuses.get(id ?? '');
    return earlier !== undefined && (isForAll(earlier) || !isForAll(record)) ? earlier : undefined;
  }

  #contextOf(record: StoreStatusRecord): string | undefined {
    const first = rootOf(record);
    const root = first === undefined ? record : this.#namedBy(record, first);
    return root !== undefined && isLocal(root) ? contextUri(this.rendering.baseUrl, root.id) : undefined;
  }

  #quoteOf({ id, accountId, quote }: StoreStatusRecord, quoted: StoreStatusRecord | undefined): NotedQuote | undefined {
    if (quote?.state === 'pending' && quote.uri) return { uri: quote.uri, isPermitted: false, stampUri: undefined };
    const uri = this.#uriOf(quoted);
    const author = quoted && this.accounts.get(quoted.accountId);
    if (uri === undefined || author === undefined || quoted === undefined) return undefined;
    const isOwn = author.id === accountId;
    const own = isOwn || !isLocal(quoted) ? undefined : stampUri(this.rendering.baseUrl, quoted, author, id);
    return { uri, isPermitted: true, stampUri: quote?.approvalUri || own };
  }

  #uriOf(status: StoreStatusRecord | undefined): string | undefined {
    const author = status && this.accounts.get(status.accountId);
    return author && statusUri(this.rendering.baseUrl, status, author);
  }

  #mention(account: string) {
    const { baseUrl, domain } = this.rendering;
    const record = this.accounts.get(account);
    if (record === undefined) return [];
    return [
      { uri: accountUri(baseUrl, record), name: isLocal(record) ? `${record.username}@${domain}` : acctOf(record) },
    ];
  }
}
