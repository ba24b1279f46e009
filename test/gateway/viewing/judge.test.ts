import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isListed } from '../../../actors/domain/public.js';
import { NO_POLICIES } from '../../../actors/domain/servers/domain-policy.js';
import { VISIBILITIES } from '../../../actors/domain/visibility.js';
import type { Services } from '../../../gateway/http/services.js';
import { StreamSubscription } from '../../../gateway/streaming/connection.js';
import { ofNamed, streamNamed } from '../../../gateway/streaming/stream-kinds.js';
import { selectShown } from '../../../gateway/timelines/home.js';
import { NOBODY_LIMITED } from '../../../gateway/viewing/account-limits.js';
import { Filters } from '../../../gateway/viewing/filters.js';
import { inList, judged, PLACES, type Place } from '../../../gateway/viewing/judge.js';
import { Lens, NO_SOURCES } from '../../../gateway/viewing/lens.js';
import type { ReadServices } from '../../../gateway/viewing/read-services.js';
import type { Screen } from '../../../gateway/viewing/screen.js';
import { judgedStatus, visibleById } from '../../../gateway/viewing/visible.js';
import type {
  AccountFilter,
  AccountSourceList,
  AccountSources,
  StoreAccountRecord,
  StoreStatusRecord,
} from '../../../proto/gen/types.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import { put } from '../../../store/port.js';
import { accounts, statuses } from '../../../store/tables.js';
import { fc } from '../../kit/property.js';

const VIEWER = '1001';
const FRIEND = '1002';
const FRIEND_AWAY = '1003';
const STRANGER = '1004';
const STRANGER_AWAY = '1005';
const BOTHER = '1006';
const AWAY = 'away.example';
const LIST = '7';
const clock = { nowMs: () => 1_000, monotonicMs: () => 1_000, publishedMs: () => 0 };

const person = (id: string): StoreAccountRecord =>
  ({ id, username: id, domain: id === FRIEND_AWAY || id === STRANGER_AWAY ? AWAY : '' }) as StoreAccountRecord;
const people = new Map(
  [VIEWER, FRIEND, FRIEND_AWAY, STRANGER, STRANGER_AWAY, BOTHER].map((id) => [id, person(id)] as const),
);

const follow = (target: string, more: object = {}) => ({
  ...{ target, edgeId: '1', notify: false, atMs: 0, reblogs: true, pending: false },
  ...more,
});
const listOf = (more: Partial<AccountSourceList> = {}): AccountSourceList => ({
  ...{ id: LIST, members: [...people.keys()], repliesPolicy: 'list', exclusive: false },
  ...more,
});
const mutes = (account: string) => ({ account, untilMs: 0, notifications: true });

let next = 1;
function says(accountId: string, more: Partial<StoreStatusRecord> = {}): StoreStatusRecord {
  const id = String(5_000 + next++);
  return {
    ...{ id, accountId, conversationId: id, text: 'words', html: '', spoilerText: '', visibility: 'public' },
    ...{ sensitive: false, mentions: [], tags: [], createdAtMs: 0, editedAtMs: 0, deleted: false },
    ...{ favourites: 0, reblogs: 0, replies: 0 },
    ...more,
  } as StoreStatusRecord;
}
const mentions = (accountId: string) => ({ mentions: [{ accountId, username: '', acct: '', url: '' }] });
const reblogs = (accountId: string, original: StoreStatusRecord): [StoreStatusRecord, StoreStatusRecord] => [
  says(accountId, { reblogOfId: original.id, reblogOfAccountId: original.accountId }),
  original,
];

interface Case {
  readonly status: StoreStatusRecord | [StoreStatusRecord, StoreStatusRecord];
  readonly sources?: Partial<AccountSources>;
  readonly screen?: Partial<Screen>;
  readonly suspended?: string;
  readonly silenced?: string;
  /** Servers that administrators have limited. */
  readonly suspendedServer?: string;
  readonly silencedServer?: string;
  /** Names of places that hide the status. */
  readonly hiddenIn: string;
}

const CHOSEN = 'home list wasHome wasList';
const READING = 'single quote profile thread search public publicStream notification mention home list';
const BEFORE = 'wasPublic wasHome wasList wasReblogged';
const BLOCKS = `quote thread search public publicStream notification mention home list ${BEFORE}`;
const MUTES = `thread search public publicStream mention home list ${BEFORE}`;
const DOMAINS = 'thread search public publicStream notification mention';
const away = { domains: new Set([AWAY]) };
const hiding = (words: string, action = 'hide') => ({
  filters: new Filters(
    [
      {
        ...{ id: '1', title: '', context: ['home', 'notifications', 'public', 'thread', 'account'], action },
        ...{ expiresAtMs: 0, statuses: [], keywords: [{ id: '2', keyword: words, wholeWord: true }] },
      } as unknown as AccountFilter,
    ],
    clock,
  ),
});

const CASES: Readonly<Record<string, Case>> = {
  'by a followed account': { status: says(FRIEND), hiddenIn: '' },
  'by a stranger': { status: says(STRANGER), hiddenIn: CHOSEN },
  'by the viewer, to anybody': {
    status: says(VIEWER, { visibility: 'direct', ...mentions(BOTHER) }),
    hiddenIn: 'list',
  },
  deleted: { status: says(FRIEND, { deleted: true }), hiddenIn: `${READING} broadcast` },
  'by a suspended account': { status: says(FRIEND), suspended: FRIEND, hiddenIn: `${READING} broadcast ${BEFORE}` },
  'by an account of a suspended server, even if the viewer follows it': {
    status: says(FRIEND_AWAY, { domain: AWAY }),
    suspendedServer: AWAY,
    hiddenIn: `${READING} broadcast ${BEFORE}`,
  },
  'a reblog of an account of a suspended server': {
    status: reblogs(FRIEND, says(FRIEND_AWAY, { domain: AWAY })),
    suspendedServer: AWAY,
    hiddenIn: `${READING} broadcast ${BEFORE}`,
  },
  'by a stranger of a silenced server': {
    status: says(STRANGER_AWAY, { domain: AWAY }),
    silencedServer: AWAY,
    hiddenIn: `public publicStream wasPublic ${CHOSEN}`,
  },
  'by a followed account of a silenced server': {
    status: says(FRIEND_AWAY, { domain: AWAY }),
    silencedServer: AWAY,
    hiddenIn: '',
  },
  'private, by a stranger': { status: says(STRANGER, { visibility: 'private' }), hiddenIn: `${READING} ${BEFORE}` },
  'private, by a followed account': { status: says(FRIEND, { visibility: 'private' }), hiddenIn: '' },
  'direct to somebody else': {
    status: says(FRIEND, { visibility: 'direct', ...mentions(STRANGER) }),
    hiddenIn: `${READING} ${BEFORE}`,
  },
  'by an account that blocks the viewer': {
    status: says(FRIEND),
    sources: { blockedBy: [FRIEND] },
    hiddenIn: `${READING} ${BEFORE}`,
  },
  'by a blocked account': { status: says(FRIEND), sources: { blocked: [FRIEND] }, hiddenIn: BLOCKS },
  'reblog of a blocked account': {
    status: reblogs(FRIEND, says(BOTHER)),
    sources: { blocked: [BOTHER] },
    hiddenIn: `profile ${BLOCKS}`,
  },
  'reblog of an account that blocks the viewer': {
    status: reblogs(FRIEND, says(BOTHER)),
    sources: { blockedBy: [BOTHER] },
    hiddenIn: `${READING} ${BEFORE}`,
  },
  'reblog of a deleted status': {
    status: reblogs(FRIEND, says(BOTHER, { deleted: true })),
    hiddenIn: `${READING} broadcast`,
  },
  'by a muted account': { status: says(FRIEND), sources: { muted: [mutes(FRIEND)] }, hiddenIn: MUTES },
  'by an account whose mute has ended': {
    status: says(FRIEND),
    sources: { muted: [{ ...mutes(FRIEND), untilMs: 999 }] },
    hiddenIn: '',
  },
  'reblog of a muted account': {
    status: reblogs(FRIEND, says(BOTHER)),
    sources: { muted: [mutes(BOTHER)] },
    hiddenIn: MUTES,
  },
  'by a silenced stranger': {
    status: says(STRANGER),
    silenced: STRANGER,
    hiddenIn: `public publicStream wasPublic ${CHOSEN}`,
  },
  'by a silenced account that the viewer follows': { status: says(FRIEND), silenced: FRIEND, hiddenIn: '' },
  'by a stranger of a blocked server': {
    status: says(STRANGER_AWAY),
    screen: away,
    hiddenIn: `${DOMAINS} ${CHOSEN}`,
  },
  'by a followed account of a blocked server': { status: says(FRIEND_AWAY), screen: away, hiddenIn: '' },
  'reblog of a followed account of a blocked server': {
    status: reblogs(FRIEND, says(FRIEND_AWAY)),
    screen: away,
    hiddenIn: 'home list',
  },
  'mention of a blocked account': {
    status: says(FRIEND, mentions(BOTHER)),
    sources: { blocked: [BOTHER] },
    hiddenIn: 'publicStream wasPublic home list',
  },
  'mention of a muted account': {
    status: says(FRIEND, mentions(BOTHER)),
    sources: { muted: [mutes(BOTHER)] },
    hiddenIn: 'publicStream wasPublic home list',
  },
  // Mastodon FeedManager asks for the viewer's own blocks and mutes only, in home as in public streams.
  'mention of an account that blocks the viewer': {
    status: says(FRIEND, mentions(BOTHER)),
    sources: { blockedBy: [BOTHER] },
    hiddenIn: '',
  },
  'reply to a stranger': {
    status: says(FRIEND, { inReplyToId: '1', inReplyToAccountId: STRANGER }),
    hiddenIn: 'home list',
  },
  'reply to a followed account': {
    status: says(FRIEND, { inReplyToId: '1', inReplyToAccountId: FRIEND_AWAY }),
    hiddenIn: '',
  },
  'reply to a deleted account': { status: says(FRIEND, { inReplyToId: '1' }), hiddenIn: 'home list' },
  'reply in a list that shows none': {
    status: says(FRIEND, { inReplyToId: '1', inReplyToAccountId: FRIEND_AWAY }),
    sources: { lists: [listOf({ repliesPolicy: 'none' })] },
    hiddenIn: 'list',
  },
  'by an account outside the list': {
    status: says(FRIEND),
    sources: { lists: [listOf({ members: [STRANGER] })] },
    hiddenIn: 'list wasList',
  },
  'by a member of an exclusive list': {
    status: says(FRIEND),
    sources: { lists: [listOf({ exclusive: true })] },
    hiddenIn: 'home',
  },
  'in another language than the follow': {
    status: says(FRIEND, { language: 'nl' }),
    screen: { languages: new Map([[FRIEND, new Set(['en'])]]) },
    hiddenIn: 'home list',
  },
  'reblog of an account that is followed without': {
    status: reblogs(FRIEND, says(STRANGER)),
    sources: { following: [follow(FRIEND, { reblogs: false })] },
    hiddenIn: 'home list',
  },
  'followed hashtag of a stranger': {
    status: says(STRANGER, { tags: ['owls'] }),
    sources: { tags: ['owls'] },
    hiddenIn: 'list wasList',
  },
  'followed hashtag of a stranger of a blocked server': {
    status: says(STRANGER_AWAY, { tags: ['owls'] }),
    sources: { tags: ['owls'] },
    screen: away,
    hiddenIn: `${DOMAINS} home list wasList`,
  },
  'words of a filter that hides': {
    status: says(FRIEND),
    screen: hiding('words'),
    hiddenIn: 'notification mention home list',
  },
  'words of a filter that warns': { status: says(FRIEND), screen: hiding('words', 'warn'), hiddenIn: '' },
};

const NO_SCREEN: Screen = { filters: undefined, domains: undefined, languages: new Map(), size: 0 };
const limitsOf = ({ suspended, silenced, suspendedServer, silencedServer }: Omit<Case, 'status' | 'hiddenIn'>) => ({
  suspended: (id: string, domain?: string) => id === suspended || (domain !== undefined && domain === suspendedServer),
  silenced: (id: string, domain?: string) => id === silenced || (domain !== undefined && domain === silencedServer),
  domains: NO_POLICIES,
});
const placeOf = (name: string, row: Place): Place => (/list/i.test(name) ? inList(LIST, row) : row);

test('each place hides what its rules say, and nothing else', () => {
  for (const [title, { status, sources, screen, hiddenIn, ...limited }] of Object.entries(CASES)) {
    const following = [follow(FRIEND), follow(FRIEND_AWAY)];
    const all = { ...NO_SOURCES, following, lists: [listOf()], ...sources } as AccountSources;
    const lens = new Lens(VIEWER, all, clock, limitsOf(limited), screen && { ...NO_SCREEN, ...screen });
    const [record, original] = Array.isArray(status) ? status : [status];
    const hidden: string[] = [];
    for (const [name, row] of Object.entries(PLACES)) {
      if (judged(record, original, lens, placeOf(name, row), people) === undefined) hidden.push(name);
    }
    assert.deepEqual(hidden.sort(), hiddenIn.split(' ').filter(Boolean).sort(), title);
  }
});

const account = fc.constantFrom(...people.keys());
/** Mostly nothing, so that most rules do not hide. */
const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });
const others = seldom(account).map((id) => (id === null || id === VIEWER ? [] : [id]));
const tags = fc.subarray(['owls', 'bees']);
const language = fc.constantFrom('en', 'nl', '');
const wording = fc.constantFrom('words', 'other');

const viewers = fc.record({
  following: fc.uniqueArray(
    fc.record({ target: account, reblogs: fc.boolean(), pending: fc.constantFrom(false, false, true) }),
    { minLength: 3, selector: ({ target }) => target },
  ),
  blocked: others,
  blockedBy: others,
  muted: others,
  members: fc.subarray([...people.keys()], { minLength: 3 }),
  repliesPolicy: fc.constantFrom('none', 'list', 'followed'),
  exclusive: fc.boolean(),
  tags,
  suspended: others,
  silenced: others,
  domains: fc.boolean(),
  filter: seldom(fc.record({ keyword: wording, action: fc.constantFrom('hide', 'warn') })),
  languages: seldom(fc.tuple(account, language)),
  screened: fc.boolean(),
});
const said = fc.record({
  author: account,
  visibility: fc.constantFrom(...VISIBILITIES, 'public', 'public'),
  mentioned: others,
  tags,
  language,
  text: wording,
  deleted: fc.constantFrom(false, false, false, true),
  answered: seldom(fc.record({ by: seldom(account) })),
  original: seldom(fc.record({ by: account, text: wording, deleted: fc.constantFrom(false, false, true) })),
});
type Of<A> = A extends fc.Arbitrary<infer T> ? T : never;

function lensOf(one: Of<typeof viewers>): Lens {
  const { filter, languages, suspended, silenced } = one;
  const sources = {
    ...NO_SOURCES,
    following: one.following.filter(({ target }) => target !== VIEWER).map((edge) => follow(edge.target, edge)),
    blocked: one.blocked,
    blockedBy: one.blockedBy,
    muted: one.muted.map(mutes),
    lists: [listOf({ members: one.members, repliesPolicy: one.repliesPolicy, exclusive: one.exclusive })],
    tags: one.tags,
  } as AccountSources;
  const limits = {
    suspended: (id: string) => suspended.includes(id),
    silenced: (id: string) => silenced.includes(id),
    domains: NO_POLICIES,
  };
  const screen: Screen = {
    ...NO_SCREEN,
    ...(one.domains ? away : {}),
    ...(filter === null ? {} : hiding(filter.keyword, filter.action)),
    languages: new Map(languages === null ? [] : [[languages[0], new Set([languages[1]])]]),
  };
  return new Lens(VIEWER, sources, clock, limits, one.screened ? screen : undefined);
}

function recordsOf({ author, mentioned, answered, original, ...one }: Of<typeof said>): StoreStatusRecord[] {
  if (original !== null) {
    const { by, text, deleted } = original;
    return reblogs(author, says(by, { text, deleted, language: one.language }));
  }
  const reply = answered === null ? {} : { inReplyToId: '1', inReplyToAccountId: answered.by ?? undefined };
  const named = mentioned.map((accountId) => ({ accountId, username: '', acct: '', url: '' }));
  return [says(author, { ...one, ...reply, mentions: named })];
}

const socket = { send: () => {}, heartbeat: () => {}, drained: () => undefined, close: () => {} };
const STREAMS = ['user', 'list', 'public', 'hashtag'] as const;

function subscriptionTo(name: string): StreamSubscription {
  const kind = streamNamed(name);
  assert.ok(kind);
  const chosen = ofNamed(kind, { list: LIST, tag: 'owls' });
  assert.ok('scope' in chosen);
  return new StreamSubscription(chosen, [], socket, { floor: '', sent: [] }, clock);
}

test('a home page judges each status once', async () => {
  const tables = new MemoryTables();
  const rows = Array.from({ length: 20 }, () => says(FRIEND));
  for (const one of rows) await tables.write([put(statuses, { status: one.id }, one)]);
  const asked: string[] = [];
  const limits = { ...NOBODY_LIMITED, suspended: (id: string) => asked.push(id) < 0 };
  const lens = new Lens(VIEWER, { ...NO_SOURCES, following: [follow(FRIEND)] } as AccountSources, clock, limits);
  const services = { tables, limits } as unknown as Services;
  const seen = await selectShown(services, VIEWER, lens, PLACES.home)(rows);
  assert.deepEqual([seen.filter(Boolean).length, asked.length], [rows.length, rows.length]);
});

test('a stream and a page decide equally, for any viewer and status', async () => {
  const decided = { shown: 0, hidden: 0 };
  await fc.assert(
    fc.asyncProperty(viewers, said, async (viewer, words) => {
      const lens = lensOf(viewer);
      const [record, original] = recordsOf(words) as [StoreStatusRecord, StoreStatusRecord | undefined];
      const tables = new MemoryTables();
      for (const [id, one] of people) await tables.write([put(accounts, { account: id }, one)]);
      for (const one of [record, original]) {
        if (one !== undefined) await tables.write([put(statuses, { status: one.id }, one)]);
      }
      const services = { tables, limits: lens.limits } as unknown as ReadServices;
      // Streams render a status once for all, and send nothing if that shows nothing.
      const rendered = await judgedStatus(services, lens, record, PLACES.broadcast);
      for (const name of STREAMS) {
        const stream = subscriptionTo(name);
        const isPublic = name === 'public' || name === 'hashtag';
        if (isPublic && (!isListed(record) || (name === 'hashtag' && !record.tags.includes('owls')))) continue;
        const takes = rendered !== undefined && stream.takes(record, lens);
        const streamed = takes && (await judgedStatus(services, lens, record, stream.at)) !== undefined;
        const at = isPublic ? PLACES.public : stream.at;
        const [paged] = await visibleById(services, VIEWER, [record.id], at, lens);
        // The one difference, as in Mastodon: a public stream hides who is mentioned, a page does not.
        const mentionsUnwanted = record.mentions.some(({ accountId }) => {
          const { blocking, muting } = lens.relation(accountId);
          return blocking || muting;
        });
        assert.equal(streamed, paged !== undefined && !(isPublic && mentionsUnwanted), name);
        decided[streamed ? 'shown' : 'hidden']++;
      }
    }),
    { numRuns: 2_000 },
  );
  assert.ok(decided.shown > 500 && decided.hidden > 500, JSON.stringify(decided));
});
