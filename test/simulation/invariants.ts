import { accountKind } from '../../actors/account/account.js';
import { compareIds, eraOfId } from '../../actors/domain/ids.js';
import { askerOf } from '../../actors/runtime/kind.js';
import { NO_RING } from '../../actors/timelines/ring-part.js';
import { NOBODY_LIMITED } from '../../gateway/instance/account-limits.js';
import { Lenses } from '../../gateway/lenses.js';
import type { Services } from '../../gateway/services.js';
import { homeCursor, homeTimeline, selectShown } from '../../gateway/timelines/home.js';
import { readPage } from '../../gateway/timelines/page.js';
import type { AccountLists, StoreAccountRecord } from '../../proto/gen/types.js';
import { RANGE_LIMIT_MAX, type Tables } from '../../store/port.js';
import {
  accountStatuses,
  accounts as accountTable,
  favouritedBy,
  followers,
  following,
  notifications,
  quotes,
  rebloggedBy,
  statuses,
} from '../../store/tables.js';
import { lonelyRings } from '../kit/rings.js';
import { noUploads } from '../kit/uploads.js';
import type { Known, Ledger } from './ledger.js';
import type { SimulatedNode } from './node.js';
import type { World } from './world.js';

interface Ended {
  readonly shared: Tables;
  readonly ledger: Ledger;
  readonly accounts: readonly string[];
  readonly world: World;
  readonly nodes: readonly SimulatedNode[];
  /** Backlog rows left. */
  readonly owed: number;
}

/** What must hold when the world has come to rest; answers what does not, in words. */
export async function invariants(ended: Ended): Promise<string[]> {
  const found: string[] = [];
  if (ended.owed > 0) found.push(`${ended.owed} actors still owe effects`);
  await acknowledgedAreReadable(ended, found);
  await orderPerAuthor(ended, found);
  await listsAreMadeOnce(ended, found);
  await followsAreSymmetric(ended, found);
  await reactionsAreCounted(ended, found);
  await quotesAreCounted(ended, found);
  await noticesAreSingle(ended, found);
  await homesAreRight(ended, found);
  return found;
}

/** Readable by id and in the author's list; one status an idempotency key. */
async function acknowledgedAreReadable({ shared, ledger }: Ended, found: string[]): Promise<void> {
  const ids = new Map<string, string>();
  for (const post of ledger.posts) {
    const what = `post ${post.number} of ${post.author} (${post.id})`;
    const record = await shared.get(statuses, { status: post.id });
    const row = { account: post.author, era: eraOfId(post.id), status: post.id };
    if (record?.accountId !== post.author) found.push(`${what} was acknowledged and is gone`);
    else if (record.text !== `post ${post.number}`) found.push(`${what} holds another text`);
    if ((await shared.get(accountStatuses, row)) === undefined) found.push(`${what} is not in its author's list`);
    if (ids.has(post.id)) found.push(`${what} has the id of ${ids.get(post.id)}`);
    ids.set(post.id, what);
  }
}

async function orderPerAuthor({ shared, ledger, accounts }: Ended, found: string[]): Promise<void> {
  for (const account of accounts) {
    const own = ledger.posts.filter((post) => post.author === account);
    const sorted = [...own].sort((a, b) => compareIds(a.id, b.id));
    if (sorted.some((post, index) => post !== own[index])) found.push(`posts of ${account} are out of order`);
    const texts: string[] = [];
    for (const { key, value } of await ownRows(shared, account, own.at(-1)?.id)) {
      if (value.reblogOfId !== undefined) continue;
      texts.push((await shared.get(statuses, { status: key.status }))?.text ?? '');
    }
    if (new Set(texts).size !== texts.length) found.push(`${account} has a post twice`);
  }
}

/** Those that were acknowledged are there under their ids, and none is there twice. */
async function listsAreMadeOnce({ ledger, accounts, nodes }: Ended, found: string[]): Promise<void> {
  const { runtime } = nodes[0] as SimulatedNode;
  for (const account of accounts) {
    const { lists } = (await runtime.ask('account', account, 'lists', {})) as AccountLists;
    const titles = lists.map(({ title }) => title);
    if (new Set(titles).size !== titles.length) found.push(`${account} has a list twice: ${titles.join()}`);
    for (const { title, id } of ledger.lists.filter(({ owner }) => owner === account)) {
      const there = lists.find((list) => list.title === title)?.id;
      if (there !== id) found.push(`${title} of ${account} was acknowledged as ${id} and is ${there}`);
    }
  }
}

async function ownRows(shared: Tables, account: string, someId: string | undefined) {
  if (someId === undefined) return [];
  return shared.range(accountStatuses, { account, era: eraOfId(someId) }, { limit: RANGE_LIMIT_MAX });
}

async function followsAreSymmetric({ shared, ledger, accounts }: Ended, found: string[]): Promise<void> {
  const records = new Map<string, StoreAccountRecord>();
  const edges = new Map<string, string>();
  const followersOf = new Map<string, Map<string, string>>(accounts.map((id) => [id, new Map()]));
  for (const account of accounts) {
    const record = await shared.get(accountTable, { account });
    if (record === undefined) {
      found.push(`the account row of ${account} is gone`);
      continue;
    }
    records.set(account, record);
    for (const { key, value } of await shared.range(following, { account }, { limit: RANGE_LIMIT_MAX })) {
      if (!value.pending) edges.set(`${account}|${key.target}`, value.edgeId);
    }
    const era = eraOfId(ledger.posts[0]?.id ?? account);
    for (const { key, value } of await shared.range(followers, { account, era }, { limit: RANGE_LIMIT_MAX })) {
      const seen = followersOf.get(account) as Map<string, string>;
      if (seen.has(value.accountId)) found.push(`${value.accountId} follows ${account} twice`);
      seen.set(value.accountId, key.edge);
    }
  }
  for (const a of accounts) {
    for (const b of accounts) {
      const pair = `${a}|${b}`;
      const [out, into] = [edges.get(pair), followersOf.get(b)?.get(a)];
      if (out !== into) found.push(`${pair}: followed with edge ${out}, follower with edge ${into}`);
      const told = ledger.follows.get(pair);
      const blocked = isNotNo(ledger.blocks.get(pair)) || isNotNo(ledger.blocks.get(`${b}|${a}`));
      if (told === 'no' && out !== undefined) found.push(`${pair}: told that it does not follow, yet it does`);
      if (told === 'yes' && out === undefined && !blocked) found.push(`${pair}: told that it follows, yet it does not`);
    }
  }
  for (const [account, record] of records) {
    const outgoing = [...edges.keys()].filter((pair) => pair.startsWith(`${account}|`)).length;
    const incoming = followersOf.get(account)?.size ?? 0;
    if (record.following !== outgoing) found.push(`${account} counts ${record.following} followed, has ${outgoing}`);
    if (record.followers !== incoming) found.push(`${account} counts ${record.followers} followers, has ${incoming}`);
  }
}

const isNotNo = (known: Known | undefined): boolean => known === 'yes' || known === 'unknown';

/** Counts on the status = rows of who did it = what clients were told. */
async function reactionsAreCounted({ shared, ledger }: Ended, found: string[]): Promise<void> {
  for (const { id } of ledger.posts) {
    const record = await shared.get(statuses, { status: id });
    if (record === undefined) continue;
    for (const [table, count, known, word] of [
      [favouritedBy, record.favourites, ledger.favourites, 'favourited'],
      [rebloggedBy, record.reblogs, ledger.reblogs, 'reblogged'],
    ] as const) {
      const rows = await shared.range(table, { status: id }, { limit: RANGE_LIMIT_MAX });
      const who = new Set(rows.map((row) => row.value.accountId));
      if (who.size !== rows.length) found.push(`${id} is ${word} twice by one account`);
      if (count !== rows.length) found.push(`${id} counts ${count} ${word}, has ${rows.length}`);
      for (const [pair, told] of known) {
        const [account, status] = pair.split('|') as [string, string];
        if (status !== id || told === 'unknown') continue;
        if (who.has(account) !== (told === 'yes')) found.push(`${pair}: told ${told} of ${word}, the rows differ`);
      }
    }
  }
}

/** Count on the quoted status = rows of who quotes it = quoting statuses that say so; what was taken back is in none. */
async function quotesAreCounted({ shared, ledger }: Ended, found: string[]): Promise<void> {
  const accepted = new Map<string, string[]>(ledger.posts.map(({ id }) => [id, []]));
  for (const { id, quoted } of ledger.posts) {
    if (quoted === undefined) continue;
    const held = (await shared.get(statuses, { status: id }))?.quote;
    const [state, told] = [held?.state, ledger.revoked.get(id)];
    if (held?.statusId !== quoted) found.push(`${id} does not say that it quotes ${quoted}`);
    if (told === undefined && state !== 'accepted')
      found.push(`${id} was permitted to quote, and its quote is ${state}`);
    if (told === 'yes' && state !== 'revoked') found.push(`the quote of ${id} was taken back, and is ${state}`);
    if (state === 'accepted') accepted.get(quoted)?.push(id);
  }
  for (const [id, quoting] of accepted) {
    const rows = await shared.range(quotes, { status: id }, { limit: RANGE_LIMIT_MAX });
    const listed = rows.map(({ key }) => key.quote);
    const known = new Set(ledger.posts.map((post) => post.id));
    const ours = listed.filter((quote) => known.has(quote));
    const count = (await shared.get(statuses, { status: id }))?.quotes ?? 0;
    if (count !== listed.length) found.push(`${id} counts ${count} quotes, has ${listed.length}`);
    if (ours.join() !== quoting.sort().join()) found.push(`${id} is quoted by ${quoting.join()}, lists ${ours.join()}`);
  }
}

/** One notification a cause: effects may be repeated, what they do may not. */
async function noticesAreSingle({ shared, ledger, accounts }: Ended, found: string[]): Promise<void> {
  const era = eraOfId(ledger.posts[0]?.id ?? '0');
  for (const account of accounts) {
    const rows = await shared.range(notifications, { account, era }, { limit: RANGE_LIMIT_MAX });
    const reblogs = rows.filter((row) => row.value.type === 'mention').map((row) => `${row.value.statusId}`);
    if (new Set(reblogs).size !== reblogs.length) found.push(`${account} was told of one mention twice`);
  }
}

/** No status twice, own posts all there, nothing of those one mutes or is blocked by, reblogged by others either. */
async function homesAreRight(ended: Ended, found: string[]): Promise<void> {
  const { shared, ledger, accounts, world, nodes } = ended;
  const node = nodes[0] as SimulatedNode;
  const rings = lonelyRings(shared, world.clockOf(node.process));
  const kind = accountKind({
    baseUrl: '',
    tables: shared,
    rings,
    media: noUploads,
  });
  const askAccount = askerOf(kind, node.runtime);
  const services = {
    tables: shared,
    clock: world.clockOf(node.process),
    askAccount,
    lenses: new Lenses(askAccount, world.clockOf(node.process)),
    limits: NOBODY_LIMITED,
  } as unknown as Services;
  const merging = { ...services, lenses: merged(services.lenses) } as unknown as Services;
  for (const account of accounts) {
    const [held, made] = [await newest(services, account), await newest(merging, account)];
    if (held.join() !== made.join())
      found.push(`the ring of ${account} shows ${held.join()}, the store ${made.join()}`);
    const seen = new Set<string>();
    let before: string | undefined;
    for (;;) {
      const bounds = { limit: 40, before, after: undefined, upwards: false };
      const page = await homeTimeline(services, account, bounds as never);
      for (const { record } of page.items) {
        if (seen.has(record.id)) found.push(`${record.id} is twice in the home of ${account}`);
        seen.add(record.id);
        if (ledger.blocks.get(`${record.accountId}|${account}`) === 'yes' && record.accountId !== account) {
          found.push(`${account} sees ${record.id} of ${record.accountId}, who blocks it`);
        }
        for (const author of [record.accountId, record.reblogOfAccountId]) {
          if (ledger.mutes.get(`${account}|${author}`) === 'yes')
            found.push(`${account} sees ${record.id} of ${author}, whom it mutes`);
        }
      }
      if (page.oldest === undefined || !page.more) break;
      before = page.oldest;
    }
    const missing = ledger.posts.filter((post) => post.author === account && !seen.has(post.id));
    if (missing.length > 0) found.push(`the home of ${account} lacks ${missing.length} own posts`);
  }
}

/**
 * The newest ids of a home, with the reblogs of what is among the rows below: how many rows those are depends on where
 * they are from, since a ring also has what is gone, and the store what is for others.
 */
async function newest(services: Services, account: string): Promise<string[]> {
  const bounds = { limit: 200, before: undefined, after: undefined, upwards: false };
  const { view, part } = await services.lenses.home(account, bounds);
  const cursor = homeCursor(services, account, () => view.lens.authors, bounds, part);
  const select = selectShown(services, account, view, (status) => view.lens.home(status));
  return (await readPage(cursor, bounds, select)).items.map(({ record }) => record.id);
}

/** The same relations, and no rings. */
function merged(lenses: Lenses): Pick<Lenses, 'home'> {
  return { home: async (viewer) => ({ view: await lenses.of(viewer), part: NO_RING }) };
}
