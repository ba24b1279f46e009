import { accountUri, acctOf, isLocal, statusUri } from '../../actors/domain/addresses.js';
import { maySee } from '../../actors/domain/visibility.js';
import { noteDocument } from '../../actors/federation/documents/note.js';
import { announceActivity, createActivity } from '../../actors/federation/documents/publishing.js';
import type { StoreAccountRecord, StoreStatusRecord } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';
import { emojiIn } from '../settings/custom-emoji.js';
import { loadAccounts } from '../viewing/people-at-hand.js';
import { loadStatuses } from '../viewing/visible.js';
import type { VisibleStatus } from '../viewing/visible-status.js';

type Reads = Pick<Services, 'tables' | 'instance' | 'clock'>;

/**
 * Renders statuses of one local author as objects, or as the activities that published them. The receiver may see them
 * all. Loads what all of them name in two reads.
 */
export async function objectsOf(
  services: Reads,
  author: StoreAccountRecord,
  seen: readonly VisibleStatus[],
  as: 'object' | 'activity',
): Promise<object[]> {
  const named = await Named.load(services, seen);
  return seen.map((status) => {
    const { record, original } = status;
    if (original !== undefined) return named.announce(author, record, original);
    const note = named.note(author, status);
    return as === 'object' ? note : createActivity(note);
  });
}

/** The statuses and accounts that a list of statuses names. */
class Named {
  private constructor(
    private readonly services: Reads,
    private readonly statuses: ReadonlyMap<string, StoreStatusRecord>,
    private readonly accounts: ReadonlyMap<string, StoreAccountRecord>,
  ) {}

  static async load(services: Reads, seen: readonly VisibleStatus[]): Promise<Named> {
    const parents = seen.flatMap(({ record }) => record.inReplyToId ?? []);
    const loaded = await loadStatuses(services, [...new Set(parents)]);
    // A parent that not everybody may see is not named either: its address says that it exists.
    const found = loaded.flatMap((one) => (one?.deleted === false && maySee(one, undefined, undefined) ? one : []));
    const statuses = new Map(found.map((one) => [one.id, one]));
    const people = seen.flatMap(({ record, original, quote }) => [
      ...record.mentions.map(({ accountId }) => accountId),
      original?.accountId ?? [],
      quote?.quoted?.record.accountId ?? [],
    ]);
    const authors = found.map(({ accountId }) => accountId);
    return new Named(services, statuses, await loadAccounts(services, [...new Set([...people.flat(), ...authors])]));
  }

  note(author: StoreAccountRecord, { record, quote }: VisibleStatus) {
    const { instance, clock } = this.services;
    const options = record.poll?.options.map(({ title }) => title) ?? [];
    return noteDocument(record, {
      baseUrl: instance.baseUrl,
      author,
      parentUri: this.#uriOf(this.statuses.get(record.inReplyToId ?? '')),
      mentions: record.mentions.flatMap(({ accountId }) => this.#mention(accountId)),
      emojis: emojiIn(instance, record.spoilerText, record.text, ...options),
      quoteUri: quote?.state === 'accepted' ? this.#uriOf(quote.quoted?.record) : undefined,
      nowMs: clock.nowMs(),
    });
  }

  announce(author: StoreAccountRecord, record: StoreStatusRecord, original: StoreStatusRecord) {
    const { baseUrl } = this.services.instance;
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

  #uriOf(status: StoreStatusRecord | undefined): string | undefined {
    const author = status && this.accounts.get(status.accountId);
    return author && statusUri(this.services.instance.baseUrl, status, author);
  }

  #mention(account: string) {
    const { baseUrl, domain } = this.services.instance;
    const record = this.accounts.get(account);
    if (record === undefined) return [];
    return [
      { uri: accountUri(baseUrl, record), name: isLocal(record) ? `${record.username}@${domain}` : acctOf(record) },
    ];
  }
}
