import { accountUrl, acctOf, localName } from '../../actors/domain/addresses.js';
import { eachBounded } from '../../actors/domain/each-bounded.js';
import { isPublished } from '../../actors/domain/standing.js';
import { readText, renderHtml } from '../../actors/domain/text/plain-text.js';
import type { AccountMention } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';
import { loadAccounts } from '../viewing/people-at-hand.js';
import type { ReadServices } from '../viewing/read-services.js';
import { lensOf } from '../viewing/visible.js';
import { meetStrangers } from './strangers.js';

/** Concurrent look-ups of names: each is a serial read. */
const NAMES_AT_ONCE_MAX = 8;

type WritingServices = ReadServices & Pick<Services, 'registry' | 'federation' | 'clock'>;

/** Text of a status in its stored form. */
export interface Written {
  readonly text: string;
  /** Sanitised HTML with links. */
  readonly html: string;
  readonly spoilerText: string;
  readonly mentions: readonly AccountMention[];
  readonly tags: readonly string[];
}

/**
 * Extracts names and tags from a status' text and renders it as HTML. `mayBeEmpty`: the status has other content, such
 * as media.
 */
export async function written(
  services: WritingServices,
  author: string,
  status: string | undefined,
  spoiler: string | undefined,
  mayBeEmpty = false,
): Promise<Written> {
  const given = { text: (status ?? '').trim(), spoilerText: (spoiler ?? '').trim() };
  // A warning without a text becomes the text. Source: Mastodon PostStatusService.
  const { text, spoilerText } = given.text === '' && !mayBeEmpty ? { text: given.spoilerText, spoilerText: '' } : given;
  const { mentions: names, tags } = readText(text);
  const mentioned = names.length === 0 ? NOBODY : await mentionable(services, author, names);
  const html = renderHtml(text, {
    mentions: new Map([...mentioned].map(([name, { url, username }]) => [name, { url, username }])),
    baseUrl: services.instance.baseUrl,
  });
  const mentions = [...new Map([...mentioned.values()].map((mention) => [mention.accountId, mention])).values()];
  return { text, html, spoilerText, mentions, tags };
}

const NOBODY: ReadonlyMap<string, AccountMention> = new Map();

/** Finds the mentioned accounts, without those that the author blocks. Source: Mastodon ProcessMentionsService. */
async function mentionable(
  services: WritingServices,
  author: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, AccountMention>> {
  if (names.some((name) => name.includes('@'))) await meetStrangers(services, names);
  const found = await findMentioned(services, names);
  if (found.size === 0) return found;
  const lens = await lensOf(services, author);
  return new Map([...found].filter(([, { accountId }]) => !lens.relation(accountId).blocking));
}

/** Finds accounts that are known here by mentioned names; unknown names are left out. */
export async function findMentioned(
  services: Pick<Services, 'registry' | 'instance' | 'tables'>,
  names: readonly string[],
): Promise<ReadonlyMap<string, AccountMention>> {
  const { baseUrl, domain } = services.instance;
  const sought = names.map((name) => ({ name, acct: localName(name, domain) ?? name.toLowerCase() }));
  const ids = await eachBounded(sought, NAMES_AT_ONCE_MAX, ({ acct }) => services.registry.find(`acct:${acct}`));
  const records = await loadAccounts(
    services,
    ids.filter((id) => id !== undefined),
  );
  const found = new Map<string, AccountMention>();
  for (const [index, { name }] of sought.entries()) {
    const record = records.get(ids[index] ?? '');
    if (record === undefined || !isPublished(record)) continue;
    const { id: accountId, username } = record;
    found.set(name, { accountId, username, acct: acctOf(record), url: accountUrl(baseUrl, record) });
  }
  return found;
}
