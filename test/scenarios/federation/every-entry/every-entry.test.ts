import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eachBounded } from '../../../../actors/domain/each-bounded.js';
import { foreignEntries } from '../../../actors/federation/foreign-entries.js';
import type { Document } from '../../../kit/federation/peer.js';
import { until } from '../../../kit/time/until.js';
import type { At, Case, Row } from './case.js';
import { ACTIVITY, askedAt, type Entry, JRD, KINDS } from './entry.js';
import { type Host, HostileWorld } from './hostile-world.js';
import { ENTRIES, ROWS } from './table.js';

// Every attack of the list of attacks on federation, at every entry by which documents of other servers come in. The
// table is table.ts: a cell is a case that is run here, a test that runs it elsewhere, or the reason why
// the attack cannot apply.

/** Cases of one entry at a time: its server answers four requests at once, two of them never. */
const AT_ONCE = 4;
/** Entries at a time: their slow servers are waited for together. */
const ENTRIES_AT_ONCE = 6;
const SEEN_MS_MAX = 10_000;

let world: HostileWorld;
before(async () => {
  world = await HostileWorld.open();
});
after(() => world?.close());

test('the table has every attack for every kind of entry, and every function that takes a foreign document', async () => {
  for (const { name, cells } of ROWS)
    assert.deepEqual(Object.keys(cells).toSorted(), [...KINDS].toSorted(), `${name} has a cell for each kind`);
  const { entries, otherFetches } = await foreignEntries();
  const listed = new Set(ENTRIES.flatMap(({ by }) => by));
  assert.deepEqual([...listed].toSorted(), [...new Set([...entries, ...otherFetches])].toSorted());
  for (const { name, kind, open } of ENTRIES) {
    const isRun = ROWS.some(({ cells }) => Array.isArray(cells[kind]));
    assert.equal(open !== undefined, isRun, `${name} can be run`);
  }
});

test('the tests that the table names exist', async () => {
  const texts = new Map<string, string>();
  for (const { name, cells } of ROWS) {
    for (const cell of Object.values(cells)) {
      if (typeof cell === 'string' || !('title' in cell)) continue;
      const text = texts.get(cell.file) ?? (await readFile(join(process.cwd(), 'test', cell.file), 'utf8'));
      texts.set(cell.file, text);
      assert.ok(text.includes(`test('${cell.title}'`), `${name}: ${cell.file} has ${cell.title}`);
    }
  }
});

/** A case on its way in. */
interface Attack {
  readonly name: string;
  readonly row: Row | undefined;
  readonly at: At;
  readonly made: Case;
}

/** Returns all cases of an entry, and the honest document as the last one. */
async function attacksOn(entry: Entry, host: Host, outcast: Host): Promise<Attack[]> {
  const attacks: Attack[] = [];
  const add = async (name: string, row: Row | undefined, build: (at: At) => Case) => {
    const from = row?.isSuspended === true ? outcast : host;
    const text = `w${world.next()}`;
    const arrival = await entry.open?.(from, text);
    if (arrival === undefined) return;
    const at = { ...arrival, host: from, text, ann: world.ann };
    attacks.push({ name: `${entry.name}, ${name}`, row, at, made: build(at) });
  };
  for (const row of ROWS) {
    const cell = row.cells[entry.kind];
    if (!Array.isArray(cell)) continue;
    for (const [place, build] of cell.entries()) await add(`${row.name} ${place + 1}`, row, build);
  }
  await add('an honest one', undefined, () => ({ shows: () => undefined }));
  return attacks;
}

const documentOf = ({ made, at }: Attack): Document => made.document ?? at.honest;

async function bring(attack: Attack, { kind }: Entry): Promise<void> {
  const { at, made } = attack;
  const body = documentOf(attack);
  const isName = kind === 'name';
  const type = isName ? JRD : ACTIVITY;
  const text = JSON.stringify(isName ? body : { '@context': 'https://www.w3.org/ns/activitystreams', ...body });
  const answer = made.answer ?? at.answer ?? { status: 200, headers: { 'content-type': type }, body: text };
  if (at.serve !== undefined) at.serve(answer);
  else if (at.asked === undefined) at.host.peer.answer(new URL(at.uri).pathname, answer);
  await at.bring(body);
}

/** Checks what has become of a case, after all others have come in. */
async function judge(attack: Attack): Promise<void> {
  const { name, row, at, made } = attack;
  const { peer } = at.host;
  const asked = at.asked === undefined ? askedAt(peer, at.uri) : at.asked();
  if (row?.isSuspended === true) assert.equal(asked ?? 0, 0, `${name}: nothing is fetched`);
  else assert.ok(asked === undefined || asked > 0, `${name}: it is fetched`);
  made.requests?.(asked ?? 0, peer.received);
  const look = () => at.shown(documentOf(attack));
  // A hostile document has had the time of all others to have an effect.
  const shown = made.shows === undefined ? await look() : await until(name, look, SEEN_MS_MAX);
  if (made.shows === undefined) assert.equal(shown, undefined, `${name}: ${JSON.stringify(shown)}`);
  else made.shows(shown as Document);
  for (const uri of made.unknown ?? []) assert.equal(await world.stored(uri, world.good), undefined, name);
}

test('no attack has an effect at any entry, and an honest document has one', async () => {
  const runs = ENTRIES.filter(({ open }) => open !== undefined);
  const all = await eachBounded(runs, AT_ONCE, async (entry) => {
    const [host, outcast] = [await world.host(), await world.host(false)];
    await world.suspend(outcast.peer);
    return { entry, attacks: await attacksOn(entry, host, outcast) };
  });
  const failed: string[] = [];
  const failing =
    ({ name }: Attack) =>
    (error: unknown) =>
      void failed.push(`${name}: ${String(error)}`);
  await eachBounded(all, ENTRIES_AT_ONCE, ({ entry, attacks }) =>
    eachBounded(attacks, AT_ONCE, (attack) => bring(attack, entry).catch(failing(attack))),
  );
  for (const { attacks } of all) {
    for (const attack of attacks) await judge(attack).catch(failing(attack));
  }
  assert.deepEqual(failed, []);
  assert.equal(world.connections, 0, 'no address inside is connected to');
  assert.doesNotMatch(world.server.log, /"level":(?:50|60)/);
});
