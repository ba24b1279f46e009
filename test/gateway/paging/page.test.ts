import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../../actors/domain/ids.js';
import type { PageBounds } from '../../../gateway/paging/bounds.js';
import { type Page, READ_ROUNDS_MAX, readPage } from '../../../gateway/paging/page.js';
import { fc } from '../../kit/property.js';

interface Row {
  readonly id: string;
  readonly wanted: boolean;
  readonly shown: boolean;
}

const LIMITS = [1, 7, 20, 40];
const NEWEST_MS = 1_700_000_000_000;
/** Distances of rows, repeated: some in one millisecond, some in one shard, some far apart. */
const GAPS = [1, 40, 64, 65_536, 900_000_000, 7, 30_000_000_000];
function rowsOf(marks: readonly (readonly [boolean, boolean])[]): Row[] {
  let id = BigInt(makeId(NEWEST_MS, 0, 0));
  return marks.map(([wanted, shown], index) => {
    id -= BigInt(GAPS[index % GAPS.length] ?? 1);
    return { id: id.toString(), wanted, shown };
  });
}

function alike(wanted: boolean, shown: boolean, length: number): (readonly [boolean, boolean])[] {
  return Array.from({ length }, () => [wanted, shown]);
}

/** Newest first, or oldest first upwards. */
function cursorOf(rows: readonly Row[], { before, after, upwards }: PageBounds) {
  const inside = rows.filter(({ id }) => (before === undefined || id < before) && (after === undefined || id > after));
  const all = upwards ? inside.reverse() : inside;
  const counts: number[] = [];
  const next = (count: number) => {
    counts.push(count);
    return all.splice(0, count);
  };
  return { counts, cursor: { next } };
}

async function read(rows: readonly Row[], bounds: PageBounds): Promise<Page<string> & { readonly counts: number[] }> {
  const { counts, cursor } = cursorOf(rows, bounds);
  const select = (some: readonly Row[]) => {
    assert.ok(some.length > 0 && some.every(({ wanted }) => wanted), 'only what is wanted is looked at');
    return some.map(({ id, shown }) => (shown ? id : undefined));
  };
  return { ...(await readPage(cursor, bounds, select, ({ wanted }) => wanted)), counts };
}

const row = fc.tuple(fc.boolean(), fc.boolean());
/** A run of equal rows. */
const stretch = fc.tuple(row, fc.integer({ min: 1, max: 120 })).map(([one, length]) => Array(length).fill(one));

test('successive pages in either direction contain all wanted and visible rows, and name no others', async () => {
  const told = async (stretches: (readonly [boolean, boolean])[][], limit: number, upwards: boolean) => {
    const rows = rowsOf(stretches.flat());
    const expected = rows.filter(({ wanted, shown }) => wanted && shown).map(({ id }) => id);
    const hidden = new Set(rows.map(({ id }) => id).filter((id) => !expected.includes(id)));
    const found: string[] = [];
    let end = upwards ? '0'.repeat(18) : undefined;
    for (let pages = 0; pages <= rows.length; pages++) {
      const bounds = { before: upwards ? undefined : end, after: upwards ? end : undefined, upwards, limit };
      const page = await read(rows, bounds);
      assert.ok(page.items.length <= limit && page.counts.length <= READ_ROUNDS_MAX);
      assert.ok(!hidden.has(page.newest ?? '') && !hidden.has(page.oldest ?? ''), 'what is not shown is not named');
      if (upwards) found.unshift(...page.items);
      else found.push(...page.items);
      if (upwards ? page.newest === undefined : !page.more) break;
      end = upwards ? page.newest : page.oldest;
    }
    assert.deepEqual(found, expected);
  };
  const stretches = fc.array(stretch, { maxLength: 8 });
  await fc.assert(fc.asyncProperty(stretches, fc.constantFrom(...LIMITS), fc.boolean(), told));
});

test('a page reads more rows at a time if few are wanted', async () => {
  const rows = rowsOf(Array.from({ length: 160 }, (_, n) => [n >= 120, true] as const));
  const page = await read(rows, { before: undefined, after: undefined, upwards: false, limit: 20 });
  assert.deepEqual(
    page.items,
    rows.slice(120, 140).map(({ id }) => id),
  );
  assert.deepEqual(page.counts, [20, 80, 80]);
  assert.equal(page.oldest, rows[139]?.id);
});

test('a page without a row filter reads as many rows at a time as it lacks', async () => {
  const rows = rowsOf(Array.from({ length: 80 }, (_, n) => [true, n >= 40] as const));
  const page = await read(rows, { before: undefined, after: undefined, upwards: false, limit: 20 });
  assert.deepEqual(page.counts, [20, 20, 20]);
});

test('a page that stops before it is full continues at the roundest number behind the last row shown', async () => {
  const hidden = Array.from({ length: 300 }, (_, n) => [true, n === 0] as const);
  const rows = rowsOf(hidden);
  const page = await read(rows, { before: undefined, after: undefined, upwards: false, limit: 10 });
  assert.deepEqual(page.items, [rows[0]?.id]);
  assert.match(page.oldest ?? '', /0{10}$/);
  const up = await read(rows.slice(1), { before: undefined, after: '0'.repeat(18), upwards: true, limit: 10 });
  assert.deepEqual(up.items, []);
  assert.match(up.newest ?? '', /0{10}$/);
});

test('a page whose last examined row directly follows another continues before both', async () => {
  const rows = rowsOf([...alike(false, false, 8), ...alike(false, true, 106), ...alike(true, false, 248)]);
  let end: string | undefined;
  for (let pages = 0; pages < 20; pages++) {
    const page = await read(rows, { before: end, after: undefined, upwards: false, limit: 7 });
    assert.deepEqual(page.items, []);
    if (!page.more) return;
    end = page.oldest;
    assert.ok(!rows.some(({ id }) => id === end), 'what is not shown is not named');
  }
  assert.fail('no end');
});

test('a page whose last examined row directly follows the last shown one continues there without repeating it', async () => {
  const hidden = [...alike(false, false, 1), ...alike(true, false, 112), ...alike(false, false, 39)];
  const rows = rowsOf([...hidden, ...alike(true, true, 2), ...alike(false, false, 1)]);
  const all: PageBounds = { before: undefined, after: undefined, upwards: false, limit: 20 };
  const page = await read(rows, all);
  const shown = rows.slice(152, 154).map(({ id }) => id);
  assert.deepEqual(page.items, shown);
  assert.deepEqual((await read(rows, { ...all, before: page.oldest })).items, []);
});
