import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountCommands } from '../../../actors/account/slices.js';
import { makeId } from '../../../actors/domain/ids.js';
import type { TypedAsk } from '../../../actors/runtime/kind.js';
import type { HomeBounds } from '../../../actors/timelines/ring-part.js';
import { makeGuestRings } from '../../../compose/home-rings.js';
import { GUESTS_MAX, GuestHomes } from '../../../gateway/viewing/guest-homes.js';
import type { AccountReadHome } from '../../../proto/gen/types.js';
import { CachedTables } from '../../../store/cache/cached-tables.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import { put } from '../../../store/port.js';
import { accounts } from '../../../store/tables.js';
import { VirtualClock } from '../../kit/time/virtual-clock.js';

const viewer = makeId(1_000, 1, 0);
const author = makeId(1_000, 2, 0);
const statusId = (number: number) => makeId(10_000 + number, 2, 0);
const page: HomeBounds = { before: undefined, after: undefined, upwards: false, limit: 20 };
const turn = () => new Promise((resolve) => void setImmediate(resolve));

/** A viewer whose owner on another node has a ring. */
async function visited() {
  const clock = new VirtualClock();
  const log = { warn: () => undefined };
  const tables = new CachedTables(new MemoryTables());
  const owner = { version: 1, ids: [statusId(2), statusId(1)], rest: 'end', asked: 0 };
  const ask = async (_viewer: string, _command: string, { limit }: AccountReadHome) => {
    owner.asked += 1;
    const { version, rest } = owner;
    return { version, sources: undefined, ids: owner.ids.slice(0, limit), rest, floor: undefined };
  };
  const guests = new GuestHomes(
    (recent) => makeGuestRings({ clock, log }, recent),
    ask as unknown as TypedAsk<AccountCommands>,
    tables,
  );
  const posted = async (statuses: number) => {
    await tables.write([put(accounts, { account: viewer }, { ...accounts.value.decode(new Uint8Array()), statuses })]);
  };
  await posted(0);
  /** Reads as Lenses does; returns true if the owner was queried for the page. */
  const read = async (version = owner.version) => {
    const kept = guests.read(viewer, page, version);
    if (kept !== undefined) return { ids: kept.ids, asked: false };
    const asked = guests.asking(viewer, page);
    const part = { ids: owner.ids.slice(0, page.limit), rest: owner.rest as 'end' | 'none', floor: undefined };
    guests.answered(viewer, asked, owner.version, part, () => [viewer, author]);
    await turn();
    return { ids: part.ids, asked: true };
  };
  const settle = async () => {
    for (let time = 0; time < 4; time++) await read();
  };
  return { guests, owner, posted, read, settle };
}

test('a repeated reader needs no query, even while others post', async () => {
  const { guests, owner, read, settle } = await visited();
  assert.equal((await read()).asked, true);
  assert.equal(owner.asked, 0);
  await settle();
  assert.deepEqual([await read(), owner.asked], [{ ids: [statusId(2), statusId(1)], asked: false }, 1]);
  guests.deliver(author, statusId(3));
  assert.deepEqual(await read(), { ids: [statusId(3), statusId(2), statusId(1)], asked: false });
});

test('the owner is queried after the viewer’s own post, which it has at once; its answer is cached', async () => {
  const { owner, posted, read, settle } = await visited();
  await settle();
  await posted(1);
  owner.ids = [statusId(4), ...owner.ids];
  assert.deepEqual((await read()).asked, true);
  assert.deepEqual(await read(), { ids: [statusId(4), statusId(2), statusId(1)], asked: false });
});

test('a ring is not used with other relations', async () => {
  const { owner, read, settle } = await visited();
  await settle();
  owner.version = 2;
  owner.ids = [statusId(2)];
  assert.deepEqual(await read(), { ids: [statusId(2)], asked: true });
  await settle();
  assert.deepEqual(await read(), { ids: [statusId(2)], asked: false });
});

test('statuses that may have been missed are queried, and a ring that the owner lacks is not created', async () => {
  const { guests, owner, read, settle } = await visited();
  await settle();
  guests.closeAll();
  owner.rest = 'none';
  await settle();
  assert.equal((await read()).asked, true);
  owner.rest = 'end';
  await settle();
  assert.equal((await read()).asked, false);
});

test('the ring of a viewer who is no longer cached is not used with other relations', async () => {
  const { guests, owner, read, settle } = await visited();
  await settle();
  assert.equal((await read()).asked, false);
  const none = { ids: [], rest: 'end' as const, floor: undefined };
  for (let other = 1; other <= 2 * GUESTS_MAX; other++) {
    const stranger = makeId(2_000 + other, 3, 0);
    guests.answered(stranger, guests.asking(stranger, page), 1, none, () => []);
  }
  owner.version = 2;
  owner.ids = [statusId(2)];
  await settle();
  assert.deepEqual(await read(), { ids: [statusId(2)], asked: false });
});
