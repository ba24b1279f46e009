import { compareIds, eraOfId } from '../../../actors/domain/ids.js';
import type { AccountLists, StoreAccountRecord } from '../../../proto/gen/types.js';
import { RANGE_LIMIT_MAX, type Tables } from '../../../store/port.js';
import {
  accountStatuses,
  accounts as accountTable,
  bookmarks,
  favouritedBy,
  followers,
  following,
  notifications,
  quotes,
  rebloggedBy,
  statuses,
} from '../../../store/tables.js';
import type { Known, Ledger } from '../ledger.js';
import type { SimulatedNode } from '../node.js';
import type { AskedPoll } from '../pollsters.js';
import type { World } from '../world.js';
import type { Violations } from './violations.js';

/** The world after all activity has ended. */
export interface Ended {
  readonly shared: Tables;
  readonly ledger: Ledger;
  readonly accounts: readonly string[];
  readonly world: World;
  readonly nodes: readonly SimulatedNode[];
  readonly polls: readonly AskedPoll[];
  readonly violations: Violations;
}

/** Compares rows with the answers that clients received. */
export async function judgeRows(ended: Ended): Promise<void> {
  await acknowledgedAreReadable(ended);
  await deletedStaysDeleted(ended);
  await bookmarksAreKept(ended);
  await orderPerAuthor(ended);
  await followsAreSymmetric(ended);
  await reactionsAreCounted(ended);
  await statusesAreCounted(ended);
  await quotesAreCounted(ended);
  await noticesAreSingle(ended);
}

/** Checks acknowledged posts: readable by id and in the author's list, one status per idempotency key. */
async function acknowledgedAreReadable({ shared, ledger, violations }: Ended): Promise<void> {
  const ids = new Map<string, string>();
  for (const post of ledger.posts) {
    const what = `post ${post.number} of ${post.author} (${post.id})`;
    const record = await shared.get(statuses, { status: post.id });
    const row = { account: post.author, era: eraOfId(post.id), status: post.id };
    if (record?.accountId !== post.author)
      violations.report('acknowledgedPostsStay', `${what} was acknowledged and is gone`);
    else if (!(ledger.edits.get(post.id) ?? [`post ${post.number}`]).includes(record.text))
      violations.report('editsAreInOrder', `${what} says ${record.text}`);
    if ((await shared.get(accountStatuses, row)) === undefined)
      violations.report('acknowledgedPostsStay', `${what} is not in its author's list`);
    if (ids.has(post.id)) violations.report('idsAscend', `${what} has the id of ${ids.get(post.id)}`);
    ids.set(post.id, what);
  }
}

/** Checks deleted posts: neither readable by id nor in a list of their author. */
async function deletedStaysDeleted({ shared, ledger, accounts, violations }: Ended): Promise<void> {
  const deleted = new Set([...ledger.deleted].flatMap(([id, known]) => (known === 'yes' ? [id] : [])));
  for (const status of deleted) {
    const record = await shared.get(statuses, { status });
    if (record !== undefined && !record.deleted) violations.report('deletedStaysDeleted', `${status} is readable`);
  }
  for (const account of accounts) {
    for (const { key } of await ownRows(shared, account, [...deleted][0]))
      if (deleted.has(key.status)) violations.report('deletedStaysDeleted', `${key.status} is listed by ${account}`);
  }
}

async function bookmarksAreKept({ shared, ledger, violations }: Ended): Promise<void> {
  const posts = new Set(ledger.posts.map(({ id }) => id));
  for (const [pair, known] of ledger.bookmarks) {
    const [account = '', status = ''] = pair.split('|');
    if (known === 'unknown' || !posts.has(status)) continue;
    const rows = await shared.range(bookmarks, { account, era: eraOfId(status) }, { limit: RANGE_LIMIT_MAX });
    const times = rows.filter(({ value }) => value.statusId === status).length;
    if (times !== (known === 'yes' ? 1 : 0))
      violations.report('bookmarksAreKept', `${account} was told ${known} and has ${status} ${times} times`);
  }
}

async function orderPerAuthor({ shared, ledger, accounts, violations }: Ended): Promise<void> {
  // schedulesAreKept counts scheduled statuses.
  const scheduled = new Set(ledger.plans.map(({ text }) => text));
  for (const account of accounts) {
    const own = ledger.posts.filter((post) => post.author === account && post.beside !== true);
    const sorted = [...own].sort((a, b) => compareIds(a.id, b.id));
    if (sorted.some((post, index) => post !== own[index]))
      violations.report('idsAscend', `posts of ${account} are out of order`);
    const texts: string[] = [];
    for (const { key, value } of await ownRows(shared, account, own.at(-1)?.id)) {
      if (value.reblogOfId !== undefined) continue;
      const text = (await shared.get(statuses, { status: key.status }))?.text ?? '';
      if (!scheduled.has(text)) texts.push(text);
    }
    if (new Set(texts).size !== texts.length) violations.report('postsAreMadeOnce', `${account} has a post twice`);
  }
}

/** Checks acknowledged lists: each exists under its id, none twice. */
export async function listsAreMadeOnce({ ledger, accounts, nodes, violations }: Ended): Promise<void> {
  const { runtime } = nodes[0] as SimulatedNode;
  for (const account of accounts) {
    const { lists } = (await runtime.ask('account', account, 'lists', {})) as AccountLists;
    const titles = lists.map(({ title }) => title);
    if (new Set(titles).size !== titles.length)
      violations.report('listsAreMadeOnce', `${account} has a list twice: ${titles.join()}`);
    for (const { title, id } of ledger.lists.filter(({ owner }) => owner === account)) {
      const there = lists.find((list) => list.title === title)?.id;
      if (there !== id)
        violations.report('listsAreMadeOnce', `${title} of ${account} was acknowledged as ${id} and is ${there}`);
    }
  }
}

async function ownRows(shared: Tables, account: string, someId: string | undefined) {
  if (someId === undefined) return [];
  return shared.range(accountStatuses, { account, era: eraOfId(someId) }, { limit: RANGE_LIMIT_MAX });
}

async function followsAreSymmetric({ shared, ledger, accounts, violations }: Ended): Promise<void> {
  const records = new Map<string, StoreAccountRecord>();
  const edges = new Map<string, string>();
  const followersOf = new Map<string, Map<string, string>>(accounts.map((id) => [id, new Map()]));
  for (const account of accounts) {
    const record = await shared.get(accountTable, { account });
    if (record === undefined) {
      violations.report('followsAreSymmetric', `the account row of ${account} is gone`);
      continue;
    }
    records.set(account, record);
    for (const { key, value } of await shared.range(following, { account }, { limit: RANGE_LIMIT_MAX })) {
      if (!value.pending) edges.set(`${account}|${key.target}`, value.edgeId);
    }
    const era = eraOfId(ledger.posts[0]?.id ?? account);
    for (const { key, value } of await shared.range(followers, { account, era }, { limit: RANGE_LIMIT_MAX })) {
      const seen = followersOf.get(account) as Map<string, string>;
      if (seen.has(value.accountId))
        violations.report('followsAreSymmetric', `${value.accountId} follows ${account} twice`);
      seen.set(value.accountId, key.edge);
    }
  }
  for (const a of accounts) {
    for (const b of accounts) {
      const pair = `${a}|${b}`;
      const [out, into] = [edges.get(pair), followersOf.get(b)?.get(a)];
      if (out !== into)
        violations.report('followsAreSymmetric', `${pair}: followed with edge ${out}, follower with edge ${into}`);
      const told = ledger.follows.get(pair);
      const blocked = isNotNo(ledger.blocks.get(pair)) || isNotNo(ledger.blocks.get(`${b}|${a}`));
      if (told === 'no' && out !== undefined)
        violations.report('followsAreSymmetric', `${pair}: told that it does not follow, yet it does`);
      if (told === 'yes' && out === undefined && !blocked)
        violations.report('followsAreSymmetric', `${pair}: told that it follows, yet it does not`);
    }
  }
  for (const [account, record] of records) {
    const outgoing = [...edges.keys()].filter((pair) => pair.startsWith(`${account}|`)).length;
    const incoming = followersOf.get(account)?.size ?? 0;
    if (record.following !== outgoing)
      violations.report('followsAreSymmetric', `${account} counts ${record.following} followed, has ${outgoing}`);
    if (record.followers !== incoming)
      violations.report('followsAreSymmetric', `${account} counts ${record.followers} followers, has ${incoming}`);
  }
}

const isNotNo = (known: Known | undefined): boolean => known === 'yes' || known === 'unknown';

/** Checks that counts on the status, rows of accounts and answers to clients agree. */
async function reactionsAreCounted({ shared, ledger, violations }: Ended): Promise<void> {
  for (const { id } of ledger.posts) {
    const record = await shared.get(statuses, { status: id });
    if (record === undefined) continue;
    for (const [table, count, known, word] of [
      [favouritedBy, record.favourites, ledger.favourites, 'favourited'],
      [rebloggedBy, record.reblogs, ledger.reblogs, 'reblogged'],
    ] as const) {
      const rows = await shared.range(table, { status: id }, { limit: RANGE_LIMIT_MAX });
      const who = new Set(rows.map((row) => row.value.accountId));
      if (who.size !== rows.length) violations.report('reactionsAreCounted', `${id} is ${word} twice by one account`);
      if (count !== rows.length)
        violations.report('reactionsAreCounted', `${id} counts ${count} ${word}, has ${rows.length}`);
      for (const [pair, told] of known) {
        const [account, status] = pair.split('|') as [string, string];
        if (status !== id || told === 'unknown') continue;
        if (who.has(account) !== (told === 'yes'))
          violations.report('reactionsAreCounted', `${pair}: told ${told} of ${word}, the rows differ`);
      }
    }
  }
}

/**
 * Checks that the count on the quoted status, the rows of quotes and the quoting statuses agree; revoked quotes are in
 * none.
 */
async function quotesAreCounted({ shared, ledger, violations }: Ended): Promise<void> {
  const accepted = new Map<string, string[]>(ledger.posts.map(({ id }) => [id, []]));
  for (const { id, quoted } of ledger.posts) {
    if (quoted === undefined || ledger.deleted.has(quoted)) continue;
    const held = (await shared.get(statuses, { status: id }))?.quote;
    const [state, told] = [held?.state, ledger.revoked.get(id)];
    if (held?.statusId !== quoted) violations.report('quotesAreCounted', `${id} does not say that it quotes ${quoted}`);
    if (told === undefined && state !== 'accepted')
      violations.report('quotesAreCounted', `${id} was permitted to quote, and its quote is ${state}`);
    if (told === 'yes' && state !== 'revoked')
      violations.report('quotesAreCounted', `the quote of ${id} was taken back, and is ${state}`);
    if (state === 'accepted') accepted.get(quoted)?.push(id);
  }
  for (const [id, quoting] of accepted) {
    const rows = await shared.range(quotes, { status: id }, { limit: RANGE_LIMIT_MAX });
    const listed = rows.map(({ key }) => key.quote);
    const known = new Set(ledger.posts.map((post) => post.id));
    const ours = listed.filter((quote) => known.has(quote));
    const count = (await shared.get(statuses, { status: id }))?.quotes ?? 0;
    if (count !== listed.length)
      violations.report('quotesAreCounted', `${id} counts ${count} quotes, has ${listed.length}`);
    if (ours.join() !== quoting.sort().join())
      violations.report('quotesAreCounted', `${id} is quoted by ${quoting.join()}, lists ${ours.join()}`);
  }
}

/** Checks that an account's status count equals its rows: repeated effects must not change it. */
async function statusesAreCounted({ shared, ledger, accounts, violations }: Ended): Promise<void> {
  const someId = ledger.posts[0]?.id;
  for (const account of accounts) {
    const count = (await shared.get(accountTable, { account }))?.statuses;
    const { length } = await ownRows(shared, account, someId);
    if (someId !== undefined && count !== length)
      violations.report('statusesAreCounted', `${account} counts ${count} statuses, has ${length}`);
  }
}

/** Checks notifications: one for each existing cause, none for an undone one. */
async function noticesAreSingle({ shared, ledger, accounts, violations }: Ended): Promise<void> {
  const era = eraOfId(ledger.posts[0]?.id ?? accounts[0] ?? '0');
  const mayNotTell = new Set([...ledger.blocks.keys(), ...ledger.mutes.keys()]);
  const tells = (from: string, to: string) =>
    from !== to && !mayNotTell.has(`${from}|${to}`) && !mayNotTell.has(`${to}|${from}`);
  for (const account of accounts) {
    const rows = await shared.range(notifications, { account, era }, { limit: RANGE_LIMIT_MAX });
    const told = rows.map(({ value }) => `${value.type} ${value.from} ${value.statusId ?? ''}`);
    const expect = (isThere: boolean, notice: string) => {
      const times = told.filter((one) => one === notice).length;
      if (times !== (isThere ? 1 : 0)) violations.report('noticesAreSingle', `${account} has ${times} of "${notice}"`);
    };
    for (const notice of new Set(told)) if (told.indexOf(notice) !== told.lastIndexOf(notice)) expect(true, notice);
    for (const { author, id, mentions } of ledger.posts)
      if (mentions.includes(account) && tells(author, account)) expect(true, `mention ${author} ${id}`);
    for (const [pair, known] of ledger.follows) {
      const [from = '', to = ''] = pair.split('|');
      if (to === account && known !== 'unknown' && tells(from, to)) expect(known === 'yes', `follow ${from} `);
    }
    const own = new Set(ledger.posts.flatMap(({ author, id }) => (author === account ? [id] : [])));
    for (const [pair, known] of ledger.favourites) {
      const [from = '', status = ''] = pair.split('|');
      if (own.has(status) && known !== 'unknown' && tells(from, account))
        expect(known === 'yes', `favourite ${from} ${status}`);
    }
  }
}
