import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { eraOfId } from '../../../actors/domain/ids.js';
import { renderNotifications } from '../../../gateway/entities/notification.js';
import { renderStatuses } from '../../../gateway/entities/status.js';
import type { Services } from '../../../gateway/services.js';
import { accountTimeline } from '../../../gateway/timelines/account.js';
import { homeTimeline } from '../../../gateway/timelines/home.js';
import { publicTimeline } from '../../../gateway/timelines/public.js';
import { visibleById } from '../../../gateway/visible.js';
import { notifications } from '../../../store/tables.js';
import { CardWorld } from './card-world.js';

const PEOPLE = 4;
const LIMIT = 40;
const RUNS = 60;

interface Status {
  readonly id: string;
  readonly [name: string]: unknown;
}

const who = fc.nat({ max: PEOPLE - 1 });
const which = fc.nat({ max: 30 });
const posting = fc.record({
  does: fc.constant('posts' as const),
  who,
  text: fc.string({ unit: 'grapheme', maxLength: 20 }),
  visibility: fc.constantFrom('public', 'public', 'unlisted', 'private', 'direct'),
  mentions: fc.option(who),
  answers: fc.option(which),
});
const marking = fc.record({
  does: fc.constantFrom('favourite', 'unfavourite', 'reblog', 'unreblog', 'delete'),
  who,
  which,
});
const relating = fc.record({
  does: fc.constantFrom('follow', 'follow', 'unfollow', 'block', 'unblock', 'mute', 'unmute'),
  who,
  whom: who,
});
const naming = fc.record({ does: fc.constant('is called' as const), who, text: fc.string({ maxLength: 10 }) });
const looking = fc.record({ does: fc.constant('looks' as const), who });
type Deed = typeof posting | typeof marking | typeof relating | typeof naming | typeof looking;
const deed = fc.oneof<[Deed, Deed, Deed, Deed, Deed, Deed]>(posting, marking, marking, relating, naming, looking);
/** Deeds of one step happen at the same time. */
const history = fc.array(fc.array(deed, { minLength: 1, maxLength: 3 }), { minLength: 5, maxLength: 30 });

/** People who do things, and what they have posted. */
class Told {
  readonly ids: string[] = [];
  readonly conversations = new Set<string>();

  constructor(readonly world: CardWorld) {}

  async do(it: typeof deed extends fc.Arbitrary<infer D> ? D : never): Promise<void> {
    const { world } = this;
    const viewer = this.person(it.who);
    if (it.does === 'posts') await this.#post(it, viewer);
    else if (it.does === 'looks') await pages(world, viewer, this.ids);
    else if (it.does === 'is called') {
      await world.call('PATCH /api/v1/accounts/update_credentials', viewer, { body: { display_name: it.text } });
    } else if ('whom' in it) {
      if (it.whom === it.who) return;
      await world.call(`POST /api/v1/accounts/:id/${it.does}`, viewer, { params: { id: this.person(it.whom) } });
    } else {
      const id = this.ids[it.which % (this.ids.length || 1)];
      if (id === undefined) return;
      const route = it.does === 'delete' ? 'DELETE /api/v1/statuses/:id' : `POST /api/v1/statuses/:id/${it.does}`;
      const answer = await world.call(route, viewer, { params: { id } });
      if (answer !== undefined && it.does !== 'delete') assertMarked(answer, it.does);
      if (answer?.reblog && !this.ids.includes(answer.id)) this.ids.push(answer.id);
    }
  }

  person(index: number): string {
    return this.world.people[index] ?? '';
  }

  async #post(it: typeof posting extends fc.Arbitrary<infer D> ? D : never, viewer: string): Promise<void> {
    const parent = it.answers === null ? undefined : this.ids[it.answers];
    const status = `${it.mentions === null ? '' : `@person${it.mentions} `}${it.text}.`;
    const reply = parent === undefined ? {} : { in_reply_to_id: parent };
    const body = { status, visibility: it.visibility, ...reply };
    const posted = await this.world.call('POST /api/v1/statuses', viewer, { body });
    if (posted === undefined) return;
    this.ids.push(posted.id);
    const [seen] = await visibleById(this.world.cold(), viewer, [posted.id]);
    assert.ok(seen);
    this.conversations.add(seen.record.conversationId);
  }
}

/** Whoever did it sees it done in the answer. */
function assertMarked(answer: Status, verb: string): void {
  const shown = (answer.reblog as Status | null) ?? answer;
  const field = verb.endsWith('favourite') ? 'favourited' : 'reblogged';
  assert.equal(shown[field], !verb.startsWith('un'), `${verb}: ${field}`);
}

/** Every kind of page, as the routes answer it. */
async function pages(world: CardWorld, viewer: string | undefined, ids: readonly string[]) {
  const query = { limit: LIMIT };
  const many = ids.slice(-LIMIT);
  const found: Record<string, unknown> = {
    public: await world.call('GET /api/v1/timelines/public', viewer, { query }),
    statuses: await world.call('GET /api/v1/statuses', viewer, { query: { id: many } }),
  };
  for (const id of world.people) {
    found[`of ${id}`] = await world.call('GET /api/v1/accounts/:id/statuses', viewer, { params: { id }, query });
  }
  for (const id of many.slice(0, 5)) {
    found[`status ${id}`] = await world.call('GET /api/v1/statuses/:id', viewer, { params: { id } });
  }
  if (viewer === undefined) return found;
  found.home = await world.call('GET /api/v1/timelines/home', viewer, { query });
  found.notifications = await world.call('GET /api/v1/notifications', viewer, { query });
  return found;
}

/** The same, each rendered as an object out of the store. */
async function afresh(world: CardWorld, viewer: string | undefined, ids: readonly string[]) {
  const bounds = { before: undefined, after: undefined, upwards: false, limit: LIMIT };
  const any = { excludeReplies: false, excludeReblogs: false, tagged: undefined };
  const many = ids.slice(-LIMIT);
  const list = async (read: (services: Services) => Promise<Parameters<typeof renderStatuses>[2]>) => {
    const services = world.cold();
    const rendered = await renderStatuses(services, viewer, await read(services));
    return plain(rendered.filter((status) => status !== undefined));
  };
  const found: Record<string, unknown> = {
    public: await list(async (services) => (await publicTimeline(services, viewer, bounds)).items),
    statuses: await list((services) => visibleById(services, viewer, [...new Set(many)])),
  };
  for (const id of world.people) {
    found[`of ${id}`] = await list(
      async (services) => (await accountTimeline(services, viewer, id, bounds, any)).items,
    );
  }
  for (const id of many.slice(0, 5)) {
    found[`status ${id}`] = (await list((services) => visibleById(services, viewer, [id])))[0];
  }
  if (viewer === undefined) return found;
  found.home = await list(async (services) => (await homeTimeline(services, viewer, bounds)).items);
  found.notifications = await noticesAfresh(world, viewer);
  return found;
}

async function noticesAfresh(world: CardWorld, account: string) {
  const partition = { account, era: eraOfId(account) };
  const rows = await world.store.range(notifications, partition, { limit: 1_000, reverse: true });
  const stored = rows.map(({ key, value }) => ({ id: key.notification, record: value }));
  const rendered = await renderNotifications(world.cold(), account, stored);
  return plain(rendered.filter((one) => one !== undefined).slice(0, LIMIT));
}

const plain = (value: readonly unknown[]) => JSON.parse(JSON.stringify(value));

test('for random histories and viewers, pages of cards say what is rendered afresh, and what a replay renders', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      const world = await CardWorld.open(PEOPLE);
      const told = new Told(world);
      for (const step of steps) await world.settled(Promise.all(step.map((it) => told.do(it))));
      const replayed = await world.replayed([...told.conversations]);
      for (const viewer of [undefined, ...world.people]) {
        const warm = await world.settled(pages(world, viewer, told.ids));
        assert.deepEqual(warm, await world.settled(afresh(world, viewer, told.ids)), 'afresh');
        assert.deepEqual(await world.settled(pages(replayed, viewer, told.ids)), warm, 'replayed');
      }
      world.close();
      replayed.close();
    }),
    { numRuns: RUNS },
  );
});
