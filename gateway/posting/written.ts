import { readText, renderHtml } from '../../actors/domain/text/plain-text.js';
import type { AccountMention } from '../../proto/gen/types.js';
import { accountUrl, isPublished } from '../entities/account/account.js';
import type { Services } from '../http/services.js';
import { eachBounded } from '../paging/cursor.js';
import { loadAccounts } from '../viewing/people-at-hand.js';
import { relationsOf } from '../viewing/visible.js';

/** Names looked up at once: each is a serial read. */
const NAMES_AT_ONCE_MAX = 8;

/** What somebody wrote, as it is stored. */
export interface Written {
  readonly text: string;
  /** Sanitised, with links. */
  readonly html: string;
  readonly spoilerText: string;
  readonly mentions: readonly AccountMention[];
  readonly tags: readonly string[];
}

/** Reads names and tags out of a status' text and makes HTML of it. `mayBeEmpty`: something else is shown, media. */
export async function written(
  services: Services,
  author: string,
  status: string | undefined,
  spoiler: string | undefined,
  mayBeEmpty = false,
): Promise<Written> {
  const given = { text: (status ?? '').trim(), spoilerText: (spoiler ?? '').trim() };
  // A warning without a text is the text. Source: Mastodon PostStatusService.
  const { text, spoilerText } = given.text === '' && !mayBeEmpty ? { text: given.spoilerText, spoilerText: '' } : given;
  const { mentions: names, tags } = readText(text);
  const mentioned = await mentionable(services, author, names);
  const html = renderHtml(text, {
    mentions: new Map([...mentioned].map(([name, { url, username }]) => [name, { url, username }])),
    baseUrl: services.instance.baseUrl,
  });
  const mentions = [...new Map([...mentioned.values()].map((mention) => [mention.accountId, mention])).values()];
  return { text, html, spoilerText, mentions, tags };
}

/** Whom the author blocks is not mentioned. Source: Mastodon ProcessMentionsService. */
async function mentionable(
  services: Services,
  author: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, AccountMention>> {
  const found = await findMentioned(services, names);
  if (found.size === 0) return found;
  const relations = await relationsOf(services, author);
  return new Map([...found].filter(([, { accountId }]) => relations(accountId)?.blocking !== true));
}

/** Local accounts by the name as mentioned; names of nobody are left out. */
export async function findMentioned(
  services: Services,
  names: readonly string[],
): Promise<ReadonlyMap<string, AccountMention>> {
  const here = `@${services.instance.domain.toLowerCase()}`;
  const local = names.flatMap((name) => {
    const username = name.endsWith(here) ? name.slice(0, -here.length) : name;
    return username.includes('@') ? [] : [{ name, username }];
  });
  const ids = await eachBounded(local, NAMES_AT_ONCE_MAX, ({ username }) => services.registry.find(`acct:${username}`));
  const records = await loadAccounts(
    services,
    ids.filter((id) => id !== undefined),
  );
  const found = new Map<string, AccountMention>();
  for (const [index, { name }] of local.entries()) {
    const record = records.get(ids[index] ?? '');
    if (record === undefined || !isPublished(record)) continue;
    const { id: accountId, username } = record;
    found.set(name, { accountId, username, acct: username, url: accountUrl(services.instance, username) });
  }
  return found;
}
