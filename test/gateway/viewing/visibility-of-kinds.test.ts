import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { VISIBILITIES, type Visibility } from '../../../actors/domain/visibility.js';
import { put, type Tables } from '../../../store/port.js';
import { accounts } from '../../../store/tables.js';
import { EventStream } from '../../kit/network/event-stream.js';
import { sendForm } from '../../kit/network/multipart.js';
import { type Answered, type Person, TestServer } from '../../kit/services/server.js';
import { until } from '../../kit/time/until.js';
import { DOT } from '../../scenarios/worlds/set-up-world.js';
import { applicationOf, type Looker, STATUS_VIEWS } from './status-views.js';

const WAIT_MS = 10_000;
const AT_ONCE = 8;
const FAR = 'far.example';
/**
 * Views that hide accounts that the viewer mutes or blocks, and blocked domains, although the viewer may read their
 * statuses.
 */
const SURFACES = /\/timelines\/|notifications|conversations|\/search|\/trends|\/context/;
/** Views whose answers do not identify a status. */
const WITHOUT_IDS = /media_index|favourited_by|reblogged_by/;
/** Views that need more data than this test creates. */
const NEVER_SHOW = ['GET /api/v1/trends/statuses', 'GET /api/v1/statuses/:id/quotes', 'GET /api/v1/statuses/:id/card'];
const OPEN: readonly Visibility[] = ['public', 'unlisted'];
const FOLLOWED: readonly Visibility[] = ['public', 'unlisted', 'private'];

let server: TestServer;
let host: Person;
/** Views that have shown a permitted status: only for these it is significant that others are hidden. */
const showing = new Set<string>();
before(async () => {
  server = await TestServer.start();
  host = await server.person('host');
});
after(() => server.stop());

interface Kind {
  /** Visibilities that the viewer may read. */
  readonly sees: readonly Visibility[];
  /** Visibilities that timelines and similar views show; absent: the same. */
  readonly listed?: readonly Visibility[];
  /** All statuses mention the viewer. */
  readonly mentioned?: boolean;
  /** The viewer does not follow, and these statuses need a follow. */
  readonly asks?: boolean;
  readonly role?: string;
  /** Applied after all statuses and marks exist. */
  readonly becomes?: (viewer: Person, author: Person) => Promise<unknown>;
}

const does = (verb: string) => (viewer: Person, author: Person) => viewer.post(`/api/v1/accounts/${author.id}/${verb}`);
const isBlocked = (viewer: Person, author: Person) => author.post(`/api/v1/accounts/${viewer.id}/block`);
async function blocksDomain(viewer: Person, author: Person): Promise<void> {
  await viewer.post(`/api/v1/accounts/${author.id}/unfollow`);
  await viewer.post('/api/v1/domain_blocks', { domain: FAR });
  await movesAway(author);
}

/**
 * Viewers (`far` views accounts of a blocked domain), besides the anonymous one and the author. All have followed the
 * author and marked what they could.
 */
const KINDS: Readonly<Record<string, Kind>> = {
  stranger: { sees: OPEN, becomes: does('unfollow') },
  moderator: { sees: OPEN, role: 'moderator', becomes: does('unfollow') },
  follower: { sees: FOLLOWED },
  mentioned: { sees: VISIBILITIES, mentioned: true },
  muting: { sees: FOLLOWED, listed: [], becomes: does('mute') },
  mentioned_muting: { sees: VISIBILITIES, listed: [], mentioned: true, becomes: does('mute') },
  blocking: { sees: OPEN, listed: [], becomes: does('block') },
  mentioned_blocking: { sees: VISIBILITIES, listed: [], mentioned: true, becomes: does('block') },
  blocked: { sees: [], becomes: isBlocked },
  mentioned_blocked: { sees: [], mentioned: true, becomes: isBlocked },
  asked: { sees: VISIBILITIES, mentioned: true, asks: true },
  asked_muting: { sees: VISIBILITIES, listed: [], mentioned: true, asks: true, becomes: does('mute') },
  asked_blocking: { sees: VISIBILITIES, listed: [], mentioned: true, asks: true, becomes: does('block') },
  asked_blocked: { sees: [], mentioned: true, asks: true, becomes: isBlocked },
  far: { sees: OPEN, listed: [], becomes: blocksDomain },
};

/** Gives an account another server's domain in its row, which all readers use. */
async function movesAway({ id }: Person): Promise<void> {
  const tables = server.node.services.tables as unknown as Tables;
  const record = await tables.get(accounts, { account: id });
  assert.ok(record);
  await tables.write([put(accounts, { account: id }, { ...record, domain: FAR })]);
}

interface Said {
  readonly id: string;
  readonly word: string;
  readonly visibility: Visibility;
}
interface Story {
  readonly author: Person;
  readonly viewer: Person;
  /** Statuses of the author; `shared` are reblogs of these by others, or statuses before them. */
  readonly said: readonly Said[];
  readonly shared: readonly Said[];
}

let words = 0;
async function says(by: Person, visibility: Visibility, to: string, more: object = {}): Promise<Said> {
  const word = `word${++words}y`;
  const text = `${to}${word} #owls https://news.example/`;
  return { id: await by.says(text, { visibility, ...more }), word, visibility };
}

/** The author posts in every visibility, a follower marks the statuses, and then the relation changes. */
async function story(name: string, { mentioned, role = 'user', becomes, asks }: Kind): Promise<Story> {
  const author = await server.person(`a_${name}`);
  const viewer = role === 'user' ? await server.person(`v_${name}`) : await server.staff(`v_${name}`, role);
  await viewer.follows(host);
  if (asks !== true) await viewer.post(`/api/v1/accounts/${author.id}/follow`, { notify: true });
  const { body: list } = await viewer.post('/api/v1/lists', { title: 'both' });
  await viewer.post(`/api/v1/lists/${list.id}/accounts`, {
    account_ids: asks === true ? [host.id] : [author.id, host.id],
  });
  const filter = asks === true ? 'filter' : 'accept';
  await viewer.put('/api/v2/notifications/policy', { for_not_following: filter, for_private_mentions: filter });
  const to = mentioned === true ? `@${viewer.name} ` : '';
  const root = await says(host, 'public', '');
  const said: Said[] = [];
  const shared: Said[] = [root];
  for (const visibility of VISIBILITIES) {
    const { body } = await sendForm(author, 'POST', '/api/v2/media', { file: new Uint8Array(DOT) });
    const plain = await says(author, visibility, to, { media_ids: [body.id] });
    const reply = await says(author, visibility, to, { in_reply_to_id: root.id });
    const poll = await says(author, visibility, to, { poll: { options: ['yes', 'no'], expires_in: 3_600 } });
    said.push(plain, reply, poll);
    for (const { id } of [plain, reply])
      for (const verb of ['favourite', 'bookmark']) await viewer.post(`/api/v1/statuses/${id}/${verb}`);
    const reblog = await host.post(`/api/v1/statuses/${plain.id}/reblog`);
    if (reblog.status === 200) said.push({ ...plain, id: reblog.body.id });
    await author.post(`/api/v1/statuses/${plain.id}/pin`);
  }
  const last = said.at(-1);
  await until(
    'the author’s statuses among the notifications',
    async () =>
      mentioned !== true ||
      JSON.stringify((await viewer.get('/api/v1/notifications?include_filtered=true')).body).includes(last?.id ?? ''),
    WAIT_MS,
  );
  await becomes?.(viewer, author);
  return { author, viewer, said, shared };
}

const textOf = ({ body }: Answered): string => (typeof body === 'string' ? body : JSON.stringify(body));

/** Compares what a viewer is shown with what they may see. */
async function faultsOf({ author, viewer, said, shared }: Story, looker: Looker, { sees, listed = sees }: Kind) {
  const missing = textOf(await looker.get('/api/v1/statuses/1'));
  const found: string[] = [];
  const look = async (name: string, path: string, of: Said | undefined) => {
    const allowed = SURFACES.test(name) ? listed : sees;
    const answer = await looker.get(path);
    const text = textOf(answer).replace(/"in_reply_to_id":"\d+"/g, '');
    if (answer.status >= 500) found.push(`${path}: ${answer.status}`);
    if (of !== undefined && !sees.includes(of.visibility) && (answer.status !== 404 || text !== missing))
      found.push(`${name} ${of.visibility}: ${answer.status} ${text.slice(0, 100)}`);
    const shownWords = new Set(said.filter(({ visibility }) => allowed.includes(visibility)).map(({ word }) => word));
    for (const { id, word, visibility } of said) {
      if (allowed.includes(visibility) || id === of?.id) {
        const isShown =
          text.includes(id) || text.includes(word) || (WITHOUT_IDS.test(name) && text.length > '[]'.length);
        if (isShown && answer.status === 200) showing.add(name);
        continue;
      }
      const isWord = !shownWords.has(word) && !path.includes(word) && word !== of?.word && text.includes(word);
      if (text.includes(`"${id}"`) || isWord) found.push(`${name} ${path}: shows ${visibility} ${id} ${word}`);
    }
  };
  const scene = { people: [author, viewer, host], said };
  const open: (() => Promise<void>)[] = [];
  for (const [name, view] of Object.entries(STATUS_VIEWS)) {
    if (view.kind === 'list')
      for (const path of await view.paths(scene, looker)) open.push(() => look(name, path, undefined));
    else {
      for (const one of said) open.push(() => look(name, view.path(one.id), one));
      for (const { id } of shared) open.push(() => look(name, view.path(id), undefined));
    }
  }
  const work = async () => {
    for (let next = open.pop(); next !== undefined; next = open.pop()) await next();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  for (const { id, visibility } of said) {
    const { status } = await looker.get(`/api/v1/statuses/${id}`);
    if ((status === 200) !== sees.includes(visibility)) found.push(`GET ${visibility}: ${status}`);
  }
  return found;
}

for (const [name, kind] of Object.entries(KINDS)) {
  test(`a viewer (${name.replaceAll('_', ' and ')}) sees what they may, in every visibility, on every route`, async () => {
    const told = await story(name, kind);
    assert.deepEqual(await faultsOf(told, told.viewer, kind), []);
    if (name === 'stranger') {
      for (const nobody of [server, await applicationOf(server)])
        assert.deepEqual(await faultsOf(told, nobody as Looker, { sees: OPEN }), []);
      assert.deepEqual(await faultsOf(told, told.author, { sees: VISIBILITIES }), []);
    }
    const streamed = await streamFaults(told, kind);
    assert.deepEqual(streamed, []);
  });
}

test('every view has shown a status that it may show', () => {
  const silent = Object.keys(STATUS_VIEWS).filter((name) => !showing.has(name) && !NEVER_SHOW.includes(name));
  assert.deepEqual(silent, []);
});

const STREAMS = ['user', 'user/notification', 'public', 'public/local', 'hashtag?tag=owls', 'direct'];

/** Returns what the viewer's streams send of the author's new statuses. */
async function streamFaults(
  { author, viewer, said }: Story,
  { sees, listed = sees, mentioned, asks }: Kind,
): Promise<string[]> {
  const [list] = (await viewer.get('/api/v1/lists')).body;
  const names = [...STREAMS, `list?list=${list.id}`];
  const streams = await Promise.all(names.map((name) => EventStream.open(server, name, viewer.token)));
  const textsOf = (stream: EventStream) => stream.events.map(({ data }) => data).join('\n');
  /** Waits until each stream has sent a new status of the host. */
  const reached = async () => {
    const marks: string[] = [];
    await until(
      'the host in every stream',
      async () => {
        const mark = `mark${++words}z`;
        marks.push(mark);
        await host.says(`@${viewer.name} ${mark} #owls`);
        await host.says(`@${viewer.name} ${mark}`, { visibility: 'direct' });
        return streams.every((stream) => marks.some((one) => textsOf(stream).includes(one)));
      },
      WAIT_MS,
    );
  };
  await reached();
  const to = mentioned === true ? `@${viewer.name} ` : '';
  // An account's row is rewritten with each status, including its domain, so only others mention the author.
  const isAway = author.name === 'a_far';
  const now: Said[] = [];
  if (!isAway) for (const visibility of VISIBILITIES) now.push(await says(author, visibility, to));
  const again = said.find(({ visibility }) => visibility === 'public') as Said;
  await host.post(`/api/v1/statuses/${again.id}/unreblog`);
  const reblog = (await host.post(`/api/v1/statuses/${again.id}/reblog`)).body.id;
  now.push({ ...again, id: reblog });
  await reached();
  const found: string[] = [];
  for (const [index, stream] of streams.entries())
    for (const { id, word, visibility } of now) {
      const isTold = textsOf(stream).includes(`"id":"${id}"`) || textsOf(stream).includes(word);
      if (isTold && !listed.includes(visibility)) found.push(`${names[index]}: ${visibility}`);
      const isDue =
        asks !== true && listed.length > OPEN.length && listed.includes(visibility) && names[index] === 'user';
      if (isDue && !isTold) found.push(`${names[index]}: lacks ${visibility}`);
    }
  await Promise.all(streams.map((stream) => stream.close()));
  return found;
}
