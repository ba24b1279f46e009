import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProblem } from '../../../actors/domain/problem.js';
import type { PageBounds } from '../../../gateway/paging/bounds.js';
import type { Page } from '../../../gateway/paging/page.js';
import { accountTimeline } from '../../../gateway/timelines/account.js';
import { homeTimeline } from '../../../gateway/timelines/home.js';
import { listTimeline } from '../../../gateway/timelines/list.js';
import { publicTimeline } from '../../../gateway/timelines/public.js';
import { streamSources } from '../../../gateway/timelines/sources.js';
import { Lenses } from '../../../gateway/viewing/lenses.js';
import { REPEAT_ROWS } from '../../../gateway/viewing/repeat-window.js';
import type { VisibleStatus } from '../../../gateway/viewing/visible-status.js';
import { Dice, TimelineWorld } from '../timelines/timeline-world.js';

const SEEDS = 40;
/** More rows than the rounds of one page can skip. */
const ROWS = 300;
/** Ring sizes: none, a part of the home timeline, and all of it. */
const RINGS = [undefined, 30, 800];
/** A list of ROWS rows has fewer pages; more means that paging makes no progress. */
const PAGES_MAX = ROWS + 10;

type Read = (bounds: PageBounds) => Promise<Page<VisibleStatus>>;

async function pageDown(read: Read, dice: Dice): Promise<string[]> {
  const found: string[] = [];
  let before: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const limit = 1 + dice.below(40);
    const page = await read({ before, after: undefined, upwards: false, limit });
    assert.ok(page.items.length <= limit);
    found.push(...page.items.map((status) => status.record.id));
    if (!page.more) return found;
    before = page.oldest;
  }
  throw new Error('paging down does not end');
}

async function pageUp(read: Read, dice: Dice): Promise<string[]> {
  const found: string[] = [];
  let after = '0'.repeat(18);
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await read({ before: undefined, after, upwards: true, limit: 1 + dice.below(40) });
    found.unshift(...page.items.map((status) => status.record.id));
    if (page.newest === undefined) return found;
    after = page.newest;
  }
  throw new Error('paging up does not end');
}

for (const direction of [pageDown, pageUp]) {
  test(`${direction.name} with any limits shows exactly what is visible, once, in order`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const world = new TimelineWorld(seed);
      await world.fill(ROWS);
      const ring = RINGS[seed % RINGS.length];
      if (ring !== undefined) await world.openRing(ring);
      const { services, viewer } = world;
      const dice = new Dice(seed * 7);
      const home = await direction(async (bounds) => homeTimeline(services, viewer, bounds), dice);
      assert.deepEqual(
        home,
        world.idsWhere((record) => world.inHome(record)),
        `home, seed ${seed}`,
      );
      const everybody = await direction(async (bounds) => publicTimeline(services, viewer, bounds), dice);
      const isShown = (record: Parameters<typeof world.visible>[0]) =>
        TimelineWorld.isPublic(record) && world.visible(record) && world.unmuted(record);
      assert.deepEqual(everybody, world.idsWhere(isShown), `public, seed ${seed}`);
      const list = world.lists[seed % world.lists.length] as (typeof world.lists)[number];
      const listed = await direction(async (bounds) => {
        const page = await listTimeline(services, viewer, list.id, bounds);
        assert.ok(!isProblem(page));
        return page;
      }, dice);
      assert.deepEqual(
        listed,
        world.idsWhere((record) => world.inList(list, record)),
        `list ${list.repliesPolicy}, seed ${seed}`,
      );
      const author = world.people[1 + dice.below(world.people.length - 1)] ?? '';
      const options = { excludeReplies: false, excludeReblogs: dice.chance(50), tagged: undefined };
      const own = await direction(async (bounds) => accountTimeline(services, viewer, author, bounds, options), dice);
      const isOwn = (record: Parameters<typeof world.visible>[0]) =>
        record.accountId === author &&
        world.visible(record) &&
        !(options.excludeReblogs && record.reblogOfId !== undefined);
      assert.deepEqual(own, world.idsWhere(isOwn), `account, seed ${seed}`);
    }
  });
}

test('a home timeline has no reblog of a status within forty rows below it or on the same page, in pages of any size', async () => {
  let hidden = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const world = new TimelineWorld(seed);
    await world.fill(ROWS, true);
    const ring = RINGS[seed % RINGS.length];
    if (ring !== undefined) await world.openRing(ring);
    const { services, viewer } = world;
    const gistOf = (id: string) => world.records.get(id)?.reblogOfId ?? id;
    const dice = new Dice(seed * 7);
    const expected = world.homeWithoutRepeats(REPEAT_ROWS);
    hidden += world.idsWhere((record) => world.inHome(record)).length - expected.length;
    const read = async (bounds: PageBounds) => {
      const page = await homeTimeline(services, viewer, bounds);
      const reblogged = page.items.flatMap(({ record }) => record.reblogOfId ?? []);
      assert.equal(new Set(reblogged).size, reblogged.length, `reblogged twice on a page, seed ${seed}`);
      return page;
    };
    // A reblog that is far from its original, and left out of one page, is shown there in another form.
    const isRight = (found: readonly string[], all: readonly string[], what: string) => {
      const gists = new Set(found.map(gistOf));
      const left = all.filter((id) => !found.includes(id));
      assert.deepEqual(
        found,
        all.filter((id) => found.includes(id)),
        `${what}, seed ${seed}`,
      );
      assert.ok(left.length * 10 <= all.length && left.every((id) => gists.has(gistOf(id))), `${what}, seed ${seed}`);
    };
    isRight(await pageDown(read, dice), expected, 'down');
    isRight(await pageUp(read, dice), expected, 'up');
    const after = expected[dice.below(expected.length)];
    const { items, newest, oldest } = await read({ before: undefined, after, upwards: false, limit: 40 });
    const inside = (id: string) => id <= (newest ?? '') && id >= (oldest ?? '') && id > (after ?? '');
    const found = items.map(({ record }) => record.id);
    isRight(found, expected.filter(inside), 'since');
  }
  assert.ok(hidden > SEEDS, 'there are repeats');
});

test('since_id returns the newest page above it, min_id the one next above it', async () => {
  const world = new TimelineWorld(3);
  await world.fill(100);
  const all = world.idsWhere((record) => world.inHome(record));
  const after = all[10];
  const read = async (upwards: boolean) => {
    const page = await homeTimeline(world.services, world.viewer, { before: undefined, after, upwards, limit: 4 });
    return page.items.map((status) => status.record.id);
  };
  assert.deepEqual(await read(false), all.slice(0, 4));
  assert.deepEqual(await read(true), all.slice(6, 10));
});

test('streams catch up with the content of timelines, oldest first', async () => {
  const world = new TimelineWorld(5);
  await world.fill(100);
  const sources = streamSources(world.services);
  const all = world.idsWhere((record) => world.inHome(record));
  const caughtUp = await sources.homeSince(world.viewer, all[5] ?? '', 3);
  assert.deepEqual(
    caughtUp.map((record) => record.id),
    all.slice(2, 5).reverse(),
  );
  for (const list of world.lists) {
    const inList = world.idsWhere((record) => world.inList(list, record));
    const some = await sources.listSince(world.viewer, list.id, '0', 2);
    assert.deepEqual(
      some.map((record) => record.id),
      inList.slice(-2).reverse(),
    );
  }
  assert.deepEqual(await sources.listSince(world.viewer, '99', '0', 2), [], 'a list that is gone');
  const open = world.idsWhere((record) => TimelineWorld.isPublic(record) && !record.deleted);
  const publicly = await sources.publicSince(undefined, open[2] ?? '', 10);
  assert.deepEqual(
    publicly.map((record) => record.id),
    open.slice(0, 2).reverse(),
  );
});

for (const ring of RINGS) {
  test(`a page queries the viewer’s actor once, whatever its length (${ring ?? 'no'} ids in a ring)`, async () => {
    const world = new TimelineWorld(9);
    // Hidden rows beyond some share of the page cause another query.
    world.muted.clear();
    world.lists = [];
    await world.fill(200);
    if (ring !== undefined) await world.openRing(ring);
    const asked: string[] = [];
    const { askAccount } = world.services;
    const ask = ((id: string, command: 'home', input: object) => {
      asked.push(command);
      return askAccount(id, command, input as never);
    }) as typeof askAccount;
    const services = { ...world.services, askAccount: ask, lenses: new Lenses(ask, world.services.clock) };
    for (const limit of [40, 1]) {
      asked.length = 0;
      await homeTimeline(services, world.viewer, { before: undefined, after: undefined, upwards: false, limit });
      assert.deepEqual(asked, ['home']);
    }
  });
}

test('a run of hidden statuses longer than one page’s reads is passed by following the page’s keys', async () => {
  const world = new TimelineWorld(11);
  await world.fill(20);
  const [first] = world.idsWhere((record) => TimelineWorld.isPublic(record) && !record.deleted).reverse();
  const sample = world.records.get(first ?? '');
  assert.ok(sample);
  const author = sample.accountId;
  const newer = (n: number) => (BigInt(sample.id) + BigInt(n) * 3n).toString();
  const hidden = new Set(Array.from({ length: 400 }, (_, n) => newer(n + 1)));
  for (const id of hidden) {
    await world.store({ ...sample, id, visibility: 'direct', mentions: [], inReplyToId: undefined });
  }
  const options = { excludeReplies: false, excludeReblogs: false, tagged: undefined };
  const read = (before: string) =>
    accountTimeline(world.services, undefined, author, { before, after: undefined, upwards: false, limit: 1 }, options);
  let page = await read(newer(401));
  assert.deepEqual([page.items, page.more], [[], true]);
  for (let pages = 0; page.items.length === 0 && page.oldest !== undefined && pages < 50; pages++) {
    assert.ok(!hidden.has(page.oldest), 'no key names what a stranger may not see');
    page = await read(page.oldest);
  }
  assert.deepEqual(
    page.items.map((status) => status.record.id),
    [sample.id],
  );
});
