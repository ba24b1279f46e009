import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { makeId } from '../../../../actors/domain/ids.js';
import { Unavailable } from '../../../../actors/domain/problem.js';
import type { RuntimeLimits } from '../../../../actors/runtime/limits.js';
import type { NodeHandoffChunk } from '../../../../proto/gen/types.js';
import { put, type RowWrite, remove } from '../../../../store/port.js';
import { cursors, snapshotChunks, snapshots } from '../../../../store/tables.js';
import { pages } from '../../../kit/actors/notebook.js';
import { STAGE_SHARDS, Stage, type StageNode } from '../../../kit/actors/stage.js';
import { fc } from '../../../kit/property.js';

const id = makeId(1_767_225_600_000, 1, 0);
const actor = `notebook/${id}`;
/** Three such lines make a state of four chunks. */
const LONG = 1_200_000;
const long = (mark: string) => mark.padEnd(LONG, '.');

const staged = (t: TestContext) => {
  const stage = new Stage();
  t.after(() => stage.close());
  return stage;
};

async function add(stage: Stage, node: StageNode, ...texts: string[]): Promise<void> {
  for (const text of texts) {
    const asked = node.runtime.ask('notebook', id, 'add', { text });
    await Promise.all([asked, stage.clock.advance(100)]);
  }
}

async function lines(stage: Stage, node: StageNode): Promise<string[]> {
  const asked = node.runtime.ask('notebook', id, 'read', {});
  const [reply] = await Promise.all([asked, stage.clock.advance(1_000)]);
  return (reply as { lines: string[] }).lines;
}

const heads = (stage: Stage) => stage.shared.range(snapshots, { actor }, { limit: 100 });
const seqs = async (stage: Stage) => (await heads(stage)).map((row) => row.key.seq);
const chunks = (stage: Stage) => stage.shared.range(snapshotChunks, { actor }, { limit: 1_000 });

/** Counts the bytes of snapshots that a node writes. */
function measured(node: StageNode): { bytes: number } {
  const written = { bytes: 0 };
  node.store.beforeWrite = (rows) => {
    for (const { table, value } of rows) {
      if (table === snapshots) written.bytes += (value as { state?: Uint8Array } | undefined)?.state?.length ?? 0;
      if (table === snapshotChunks) written.bytes += (value as { bytes: Uint8Array }).bytes.length;
    }
  };
  return written;
}

test('a snapshot is taken once the entries since the last one have as many bytes', async (t) => {
  const stage = staged(t);
  const node = await stage.node(1, { snapshotEntriesMin: 10 });
  await add(stage, node, ...Array.from({ length: 10 }, () => 'x'.repeat(1_000)));
  assert.deepEqual(await seqs(stage), [10]);
  await add(stage, node, ...Array.from({ length: 20 }, () => 'short'));
  assert.deepEqual(await seqs(stage), [10], '20 short entries do not justify another 10 KB');
  await add(stage, node, 'x'.repeat(10_000));
  assert.deepEqual(await seqs(stage), [10, 31]);
  await add(stage, node, 'x'.repeat(40_000));
  assert.deepEqual(await seqs(stage), [10, 31], 'a large entry alone is replayed');
});

test('an actor of a large state writes no more bytes of snapshots than of its journal', async (t) => {
  const stage = staged(t);
  const node = await stage.node(1, { snapshotEntriesMin: 5 });
  await add(stage, node, 'x'.repeat(40_000), ...Array.from({ length: 4 }, () => 'short'));
  const written = measured(node);
  await add(stage, node, ...Array.from({ length: 300 }, () => 'short'));
  assert.ok(written.bytes < 300 * 200, `${written.bytes} bytes`);
});

test('a snapshot is taken after many entries, whatever its size', async (t) => {
  const stage = staged(t);
  const node = await stage.node(1, { snapshotEntriesMin: 2, snapshotEntriesMax: 50 });
  await add(stage, node, 'x'.repeat(40_000), 'short');
  await add(stage, node, ...Array.from({ length: 60 }, () => 'short'));
  assert.deepEqual(await seqs(stage), [2, 52]);
});

test('a large state is stored in chunks, and read from them', async (t) => {
  const stage = staged(t);
  const node = await stage.node(1, { snapshotEntriesMin: 3 });
  const texts = [long('a'), long('b'), long('c')];
  await add(stage, node, ...texts);
  const [head] = await heads(stage);
  assert.equal(head?.value.chunks, 4);
  assert.equal(head.value.state, undefined);
  for (const { value } of await chunks(stage)) assert.ok(value.bytes.length <= 1_048_576);
  stage.kill(node);
  const next = await stage.node(2);
  assert.deepEqual(await lines(stage, next), texts);
  assert.deepEqual(next.log, []);
});

test('commands during the encoding of a large state are not in that snapshot, and not lost', async (t) => {
  const stage = staged(t);
  const node = await stage.node(1, { snapshotEntriesMin: 3 });
  await add(stage, node, long('a'), long('b'));
  const asked = ['c', 'd', 'e'].map((text) => node.runtime.ask('notebook', id, 'add', { text }));
  await stage.clock.settle();
  asked.push(node.runtime.ask('notebook', id, 'add', { text: 'f' }));
  await stage.clock.settle();
  await Promise.all([...asked, stage.clock.advance(1_000)]);
  assert.deepEqual(await seqs(stage), [5]);
  stage.kill(node);
  const marks = (await lines(stage, await stage.node(2))).map((text) => text[0]);
  assert.deepEqual(marks, ['a', 'b', 'c', 'd', 'e', 'f']);
});

test('the two newest snapshots stay, and older ones are removed with their chunks', async (t) => {
  const stage = staged(t);
  const limits = { snapshotEntriesMin: 1, snapshotEntriesMax: 1 };
  const node = await stage.node(1, limits);
  await add(stage, node, long('a'), 'b', 'c', 'd');
  assert.deepEqual(await seqs(stage), [3, 4]);
  assert.deepEqual(new Set((await chunks(stage)).map(({ key }) => key.seq)), new Set([3, 4]));
  stage.kill(node);
  await add(stage, await stage.node(2, limits), 'e');
  const left = await seqs(stage);
  assert.deepEqual(left.slice(0, 1), [4], 'including those of an earlier owner');
});

test('a damaged snapshot is ignored for the one before it', async (t) => {
  const stage = staged(t);
  const node = await stage.node(1, { snapshotEntriesMin: 1, snapshotEntriesMax: 1 });
  await add(stage, node, long('a'), 'b', 'c', 'd');
  stage.kill(node);
  const [older, newest] = await heads(stage);
  assert.ok(older && newest);
  const rows = (await chunks(stage)).filter(({ key }) => key.seq === newest.key.seq);
  const [first] = rows;
  assert.ok(first);
  const flipped = Buffer.from(first.value.bytes).fill('z', 100, 101);
  const damages: RowWrite[] = [
    remove(snapshotChunks, rows.at(-1)?.key ?? first.key),
    put(snapshotChunks, first.key, { bytes: flipped }),
    put(snapshotChunks, first.key, { bytes: first.value.bytes.subarray(1) }),
    put(snapshots, newest.key, { ...newest.value, checksum: 0 }),
    put(snapshots, newest.key, { ...newest.value, epoch: 77 }),
  ];
  const journalReads = { from: [] as number[] };
  for (const damage of damages) {
    await stage.shared.write([damage]);
    const next = await stage.node(1, {}, undefined, (tables) => ({
      ...tables,
      range: (table, partition, options) => {
        if (table.name === 'journal') journalReads.from.push((options.after as { seq: number }).seq);
        return tables.range(table, partition, options);
      },
    }));
    assert.deepEqual(
      (await lines(stage, next)).map((text) => text[0]),
      ['a', 'b', 'c', 'd'],
    );
    assert.equal(next.log.length, 1);
    assert.match(next.log[0] ?? '', /^ignored a snapshot that/);
    assert.notEqual(journalReads.from.at(-1), 0, 'the journal is not replayed from its beginning');
    stage.kill(next);
    await stage.shared.write([
      put(snapshots, newest.key, newest.value),
      ...rows.map((row) => put(snapshotChunks, row.key, row.value)),
    ]);
  }
});

test('an actor recovers completely, whichever write of snapshots is the last before a crash', async () => {
  const limits: Partial<RuntimeLimits> = { snapshotEntriesMin: 1, snapshotEntriesMax: 1 };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(3), fc.nat(6), fc.boolean()), { maxLength: 4 }), async (owners) => {
      const stage = new Stage();
      const expected: string[] = [];
      let epoch = 0;
      for (const [adds, writes, fails] of owners) {
        epoch += 1;
        const node = await stage.node(epoch, limits);
        let left = writes;
        node.store.beforeWrite = (rows) => {
          if (!rows.some(({ table }) => table === snapshots || table === snapshotChunks)) return undefined;
          left -= 1;
          if (left >= 0) return undefined;
          if (fails) throw new Unavailable('the store did not take it');
          return new Promise(() => undefined);
        };
        for (let count = 0; count <= adds; count++) {
          const text = (expected.length % 3 === 0 ? 'x'.repeat(150_000) : '') + expected.length;
          await add(stage, node, text);
          expected.push(text);
        }
        stage.kill(node);
      }
      const last = await stage.node(epoch + 1, limits);
      assert.deepEqual(await lines(stage, last), expected);
      await add(stage, last, 'one more', 'and another', 'and a last one');
      assert.ok((await seqs(stage)).length <= 3);
      stage.close();
    }),
    { numRuns: 40 },
  );
});

test('a failed snapshot is not retried with the next command', async (t) => {
  const stage = staged(t);
  const node = await stage.node(1, { snapshotEntriesMin: 10 });
  node.store.breakWrites(snapshots);
  await add(stage, node, ...Array.from({ length: 19 }, (_, n) => `${n}`));
  assert.deepEqual(node.log, ['failed to save a snapshot']);
  node.store.mend();
  await add(stage, node, 'twentieth');
  assert.deepEqual(await seqs(stage), [20]);
});

test("a former owner's late cursor does not move the lanes back before the snapshot", async (t) => {
  const stage = staged(t);
  const node = await stage.node(1, { snapshotEntriesMin: 3 });
  await add(stage, node, 'one', 'two', 'three');
  await add(stage, node, 'four');
  stage.kill(node);
  await stage.shared.write([put(cursors, { actor }, { beforeReply: 0, afterReply: 0 })]);
  const shown: number[] = [];
  const next = await stage.node(2, {}, undefined, (tables) => ({
    ...tables,
    write: (rows, options) => {
      for (const { table, key } of rows) if (table === pages) shown.push(key.line as number);
      return tables.write(rows, options);
    },
  }));
  await lines(stage, next);
  assert.deepEqual(shown, [3, 4], 'effects that are done according to the snapshot are not repeated');
});

async function handedOver(t: TestContext, texts: readonly string[]) {
  const stage = staged(t);
  const giver = await stage.node(1);
  await add(stage, giver, ...texts);
  const handed: NodeHandoffChunk[] = [];
  await Promise.all([
    giver.runtime.release(STAGE_SHARDS, async (chunk) => void handed.push(chunk)),
    stage.clock.advance(5_000),
  ]);
  return { stage, handed };
}

test('a large snapshot is not handed over but read from the store', async (t) => {
  const { stage, handed } = await handedOver(t, [long('a'), 'b']);
  assert.deepEqual(handed, []);
  assert.equal((await lines(stage, await stage.node(2))).length, 2);
});

test('a handed-over snapshot that does not fit is replaced by the stored one', async (t) => {
  const { stage, handed } = await handedOver(t, ['one']);
  const [chunk] = handed;
  assert.ok(chunk?.snapshot);
  const second = await stage.node(undefined);
  second.runtime.prime({ actor, snapshot: { ...chunk.snapshot, checksum: 1 } });
  second.placement.epoch = 2;
  await second.runtime.acquire(STAGE_SHARDS);
  assert.deepEqual(await lines(stage, second), ['one']);
  assert.deepEqual(second.log, ['ignored a snapshot that cannot be restored']);
});

test('the oldest of too many handed-over snapshots are evicted', async (t) => {
  const { stage, handed } = await handedOver(t, ['one']);
  const snapshot = handed[0]?.snapshot;
  assert.ok(snapshot);
  for (const { key } of await heads(stage)) await stage.shared.write([remove(snapshots, key)]);
  const second = await stage.node(undefined, { primedBytesMax: 10_000 });
  for (let other = 1; other < 40; other++) second.runtime.prime({ actor: `notebook/${makeId(0, 1, other)}`, snapshot });
  let read = false;
  second.store.tables.range = new Proxy(second.store.tables.range, {
    apply: (target, self, args) => {
      if (args[0] === snapshots) read = true;
      return Reflect.apply(target, self, args);
    },
  });
  second.runtime.prime({ actor, snapshot });
  second.placement.epoch = 2;
  await second.runtime.acquire(STAGE_SHARDS);
  assert.deepEqual(await lines(stage, second), ['one']);
  assert.equal(read, false, 'the latest one was there');
});

test('a node that has lost its shards without noticing stores no snapshot of its later entries', async (t) => {
  const stage = staged(t);
  const former = await stage.node(1, { snapshotEntriesMin: 3, snapshotEntriesMax: 3 });
  await add(stage, former, 'a', 'b');
  const owner = await stage.node(2, { snapshotEntriesMin: 100 });
  former.placement.isSuperseded = true;
  await add(stage, owner, 'c');
  await add(stage, former, 'x', 'y', 'z');
  assert.deepEqual(await seqs(stage), []);
  stage.kill(former);
  stage.kill(owner);
  assert.deepEqual(await lines(stage, await stage.node(3)), ['a', 'b', 'c']);
});

test('a snapshot is not stored while the owner of the shard is unknown', async (t) => {
  const stage = staged(t);
  const node = await stage.node(1, { snapshotEntriesMin: 2, snapshotEntriesMax: 2 });
  node.placement.stillOwns = () => Promise.reject(new Unavailable('the store does not answer'));
  await add(stage, node, 'a', 'b');
  assert.deepEqual([await seqs(stage), node.log], [[], ['failed to save a snapshot']]);
  node.placement.stillOwns = async () => true;
  await add(stage, node, 'c', 'd');
  assert.deepEqual(await seqs(stage), [4]);
});
