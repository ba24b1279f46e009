import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HomeRings, type RecentIds } from '../../../actors/timelines/home-rings.js';
import type { HomeBounds } from '../../../actors/timelines/ring-part.js';
import { fc } from '../../kit/property.js';
import { until } from '../../kit/time/until.js';

const PEOPLE = 6;
/** Ids in the form of account ids. */
const name = (n: number) => String(n + 900_000).padStart(18, '0');
const id18 = (n: number) => String(n).padStart(18, '0');
const newest: HomeBounds = { before: undefined, after: undefined, upwards: false, limit: 7 };

/** All statuses, as the store would have them. */
class Posts {
  readonly all: { readonly author: string; readonly id: string }[] = [];
  readonly recent: RecentIds = async (authors, limit) => {
    const ids = this.of(authors);
    return { ids: ids.slice(0, limit), complete: ids.length <= limit };
  };
  of(authors: readonly string[]): string[] {
    return this.all
      .flatMap(({ author, id }) => (authors.includes(author) ? [id] : []))
      .sort()
      .reverse();
  }
}

interface World {
  readonly posts: Posts;
  readonly rings: HomeRings;
  epoch: number | undefined;
  nowMs: number;
}

type Options = Partial<ConstructorParameters<typeof HomeRings>[0]>;

function world(options: Options = {}): World {
  const posts = new Posts();
  const made: World = { posts, rings: undefined as never, epoch: 1, nowMs: 1_800_000_000_000 };
  const rings = new HomeRings({
    clock: { nowMs: () => made.nowMs },
    recent: posts.recent,
    epochOf: () => made.epoch,
    log: { warn: () => undefined },
    ...options,
  });
  return Object.assign(made, { rings });
}

function post({ posts, rings }: World, author: string, n: number): void {
  posts.all.push({ author, id: id18(n) });
  rings.deliver(author, id18(n));
}

async function opened({ rings }: World, viewer: string, authors: readonly string[]): Promise<void> {
  rings.request(viewer, authors);
  await until('the ring is filled', () => rings.read(viewer, newest, 1).rest !== 'none' || undefined, 1_000);
}

/** Reads the whole ring, and the place where the rest is. */
function readAll(rings: HomeRings, viewer: string): { ids: string[]; rest: string; floor: string | undefined } {
  const ids: string[] = [];
  for (;;) {
    const part = rings.read(viewer, { ...newest, before: ids.at(-1) }, 1);
    ids.push(...part.ids);
    if (part.rest !== 'ring') return { ids, rest: part.rest, floor: part.floor };
  }
}

type Step = readonly ['post', author: number, out: number] | readonly ['follow' | 'unfollow', author: number];
const author = fc.integer({ min: 1, max: PEOPLE - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constant('post' as const), author, fc.integer({ min: 0, max: 4 })) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('follow' as const), author) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('unfollow' as const), author) },
);

for (const largeMin of [1_000, 1]) {
  const kind = largeMin === 1 ? 'with authors merged at read' : 'written to each ring';
  test(`a home above its floor holds all statuses of followed accounts, each once (${kind})`, async () => {
    const run = async (early: readonly Step[], late: readonly Step[], often: number) => {
      const made = world({ largeMin });
      const { posts, rings } = made;
      const following = new Set([name(1)]);
      let clock = 1_000;
      const perform = async ([what, who, out]: Step) => {
        if (what === 'post') {
          for (let n = 0; n < often; n++) {
            clock += 10;
            post(made, name(who), clock - (out ?? 0) * 7);
          }
        } else if (what === 'follow') {
          following.add(name(who));
          await rings.follow(name(0), name(who));
        } else {
          following.delete(name(who));
          rings.unfollow(name(0), name(who));
        }
      };
      // Another account's ring, so that there are two.
      rings.open(name(9), [name(1), name(2)], [], true);
      for (const one of early) await perform(one);
      await opened(made, name(0), [...following]);
      for (const one of late) await perform(one);
      const { ids, rest, floor = '' } = readAll(rings, name(0));
      assert.deepEqual(ids, [...new Set(ids)].sort().reverse(), 'in order and once');
      const followed = new Set(posts.of([...following]));
      const wanted = posts.of([...following]).filter((id) => id >= floor);
      assert.deepEqual(
        ids.filter((id) => followed.has(id)),
        wanted,
      );
      assert.equal(rest, Number(floor) === 0 ? 'end' : 'store');
    };
    const steps = fc.array(step, { maxLength: 40 });
    await fc.assert(fc.asyncProperty(steps, steps, fc.constantFrom(1, 60), run), { numRuns: 150 });
  });
}

test('a ring that is being filled accepts deliveries, and a follow meanwhile restarts it', async () => {
  const made = world();
  const { posts, rings } = made;
  post(made, name(1), 10);
  rings.request(name(0), [name(1)]);
  post(made, name(1), 20);
  assert.equal(rings.read(name(0), newest, 1).rest, 'none');
  await until('filled', () => rings.read(name(0), newest, 1).rest === 'end' || undefined, 1_000);
  assert.deepEqual(readAll(rings, name(0)).ids, [id18(20), id18(10)]);

  posts.all.push({ author: name(2), id: id18(15) });
  rings.request(name(3), [name(1)]);
  await rings.follow(name(3), name(2));
  assert.equal(rings.read(name(3), newest, 1).rest, 'none');
  await opened(made, name(3), [name(1), name(2)]);
  assert.deepEqual(readAll(rings, name(3)).ids, [id18(20), id18(15), id18(10)]);
});

test('a ring of an earlier epoch is dropped, because another owner may have added follows', async () => {
  const made = world();
  post(made, name(1), 10);
  await opened(made, name(0), [name(1)]);
  made.epoch = undefined;
  assert.equal(made.rings.read(name(0), newest, 1).rest, 'none');
  made.epoch = 2;
  assert.equal(made.rings.read(name(0), newest, 1).rest, 'none');
});

test('a gap on the bus drops all rings, and they are filled again', async () => {
  const made = world();
  post(made, name(1), 10);
  await opened(made, name(0), [name(1)]);
  made.posts.all.push({ author: name(1), id: id18(20) });
  made.rings.closeAll();
  assert.equal(made.rings.read(name(0), newest, 1).rest, 'none');
  await opened(made, name(0), [name(1)]);
  assert.deepEqual(readAll(made.rings, name(0)).ids, [id18(20), id18(10)]);
});

test('a failed read of the store leaves no ring, and the next read tries again', async () => {
  const posts = new Posts();
  let fails = true;
  const rings = new HomeRings({
    clock: { nowMs: () => 1_800_000_000_000 },
    recent: (authors, limit) => (fails ? Promise.reject(new Error('down')) : posts.recent(authors, limit)),
    epochOf: () => 1,
    log: { warn: () => undefined },
  });
  rings.request(name(0), [name(1)]);
  await until('given up', () => rings.figures.rings === 0 || undefined, 1_000);
  fails = false;
  rings.request(name(0), [name(1)]);
  await until('filled', () => rings.read(name(0), newest, 1).rest === 'end' || undefined, 1_000);
});

test('the accounts that read longest ago are evicted when rings are full, and their rings are reused', () => {
  const made = world({ ringsMax: 64 });
  for (let n = 0; n < 200; n++) {
    made.nowMs += 60_000;
    made.rings.open(name(n), [name(n + 1_000), name(7)], [], true);
  }
  assert.ok(made.rings.figures.rings <= 64);
  assert.equal(made.rings.read(name(0), newest, 1).rest, 'none');
  assert.equal(made.rings.read(name(199), newest, 1).rest, 'end');
  post(made, name(1_000 + 10), 5);
  post(made, name(1_000 + 199), 6);
  post(made, name(7), 7);
  assert.deepEqual(readAll(made.rings, name(199)).ids, [id18(7), id18(6)]);
  assert.deepEqual(readAll(made.rings, name(198)).ids, [id18(7)]);
});

test('a ring without a read for a fortnight is dropped', () => {
  const made = world();
  made.rings.open(name(0), [name(1)], [], true);
  made.nowMs += 13 * 86_400_000;
  made.rings.open(name(1), [name(2)], [], true);
  assert.equal(made.rings.figures.rings, 2);
  made.nowMs += 2 * 86_400_000;
  made.rings.open(name(2), [name(3)], [], true);
  assert.deepEqual(
    [0, 1, 2].map((n) => made.rings.read(name(n), newest, 0).rest),
    ['none', 'end', 'end'],
  );
});

test('a read upwards from below the floor is left to the store', () => {
  const made = world();
  made.rings.open(name(0), [name(1)], [id18(30), id18(20)], false);
  const up = (after: number) => made.rings.read(name(0), { ...newest, after: id18(after), upwards: true }, 1);
  assert.deepEqual(up(10), { ids: [], rest: 'store', floor: undefined });
  assert.deepEqual(up(20), { ids: [id18(30)], rest: 'end', floor: id18(20) });
});

test('a ring is handed over, completed with later deliveries, and valid while the relations are unchanged', async () => {
  const bus = { receivedUpTo: () => [], follows: () => true };
  const [giver, receiver] = [world({ bus }), world({ bus })];
  const received = giver.rings.receivedUpTo();
  post(giver, name(1), 10);
  await opened(giver, name(0), [name(1)]);
  post(giver, name(1), 20);
  await opened(giver, name(5), [name(2)]);
  const moved = [...giver.rings.leaving((viewer) => viewer === name(0))];
  assert.deepEqual(
    moved.map((ring) => ring.viewer),
    [name(0)],
  );
  giver.rings.closeWhere((viewer) => viewer === name(0));
  assert.deepEqual([giver.rings.figures.rings, readAll(giver.rings, name(5)).rest], [1, 'end']);

  // Posted during the handover.
  post(receiver, name(1), 30);
  post(receiver, name(2), 31);
  receiver.epoch = undefined;
  for (const ring of moved) receiver.rings.welcome(ring, received);
  receiver.epoch = 7;
  post(receiver, name(1), 40);
  assert.deepEqual(readAll(receiver.rings, name(0)).ids, [40, 30, 20, 10].map(id18));

  for (const ring of moved) receiver.rings.welcome(ring, received);
  assert.equal(receiver.rings.read(name(0), newest, 2).rest, 'none');
});
