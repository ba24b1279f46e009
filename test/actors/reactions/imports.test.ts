import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import type { ImportStep } from '../../../actors/imports/import-work.js';
import { PAUSE_MS, RESULT_KEPT_MS, UPLOAD_MS_MAX } from '../../../actors/imports/imports.js';
import { importsKind } from '../../../actors/kinds/imports.js';
import { Alarms } from '../../../actors/runtime/effects/alarms.js';
import { askerOf } from '../../../actors/runtime/kind.js';
import { TableMedia } from '../../../store/media/table-media.js';
import { mediaFiles } from '../../../store/tables.js';
import { Stage } from '../../kit/actors/stage.js';

const FILE = `${'a'.repeat(32)}.csv`;
const ROWS = 25;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** An account whose imports do ten rows in a step. */
async function importer() {
  const stage = new Stage();
  const self = makeId(stage.clock.nowMs(), 1, 0);
  const media = new TableMedia(stage.shared, stage.clock);
  await media.put(FILE, Buffer.from(Array.from({ length: ROWS }, (_, one) => `d${one}.example\n`).join('')));
  const here = {
    ...{ stage, self, media, done: [] as string[], busy: false },
    /** Waits in a step after its rows are done. */
    afterRows: () => undefined as Promise<void> | undefined,
  };
  const carryOut = async ({ job, rows }: ImportStep) => {
    const some = rows.slice(job.place, job.place + 10).map(([cell = '']) => cell);
    const { place, removed, stuck } = job;
    if (here.busy) return { place, removed, stuck, failed: [], cleared: true, busy: true };
    here.done.push(...some);
    await here.afterRows();
    return { place: place + some.length, removed, stuck, failed: [place], cleared: true, busy: false };
  };
  const kind = importsKind({ media, work: { carryOut } });
  const start = async (epoch: number) => {
    const node = await stage.node(epoch, {}, [kind]);
    const ask = askerOf(kind, node.runtime);
    const settled = async <T>(answer: Promise<T>): Promise<T> => {
      await stage.clock.settle();
      return answer;
    };
    return {
      node,
      announce: () => settled(ask(self, 'expect', { kind: 'domain_blocks', file: FILE })),
      begin: () => settled(ask(self, 'begin', { kind: 'domain_blocks', file: FILE, rows: ROWS, replaces: false })),
      told: async () => {
        const answer = await settled(ask(self, 'tellImports', {}));
        assert.ok(!isProblem(answer));
        return answer.jobs[0];
      },
    };
  };
  return Object.assign(here, { start });
}

/** Starts the alarms of a node. */
function alarmsOf(stage: Stage, node: Awaited<ReturnType<Stage['node']>>): Alarms {
  const alarms = new Alarms({
    ...{ tables: stage.shared, asker: node.runtime, placement: node.placement },
    ...{ clock: stage.clock, logger: silent },
  });
  alarms.start();
  return alarms;
}

test('a takeover in the middle of an import repeats one step at most, and the import ends', async () => {
  const here = await importer();
  const first = await here.start(1);
  // The node ends after the rows of the second step, before it can record them.
  const lost = new Promise<void>((resolve) => {
    here.afterRows = () => {
      if (here.done.length < 20) return undefined;
      resolve();
      return new Promise(() => undefined);
    };
  });
  await first.begin();
  await lost;
  here.afterRows = () => undefined;
  here.stage.kill(first.node);
  const next = await here.start(2);
  const told = await next.told();
  assert.deepEqual([told?.place, told?.how, told?.failed], [ROWS, 'done', [0, 10, 20]]);
  const twice = here.done.filter((row, index) => here.done.indexOf(row) !== index);
  assert.deepEqual([new Set(here.done).size, twice.length], [ROWS, 10]);
});

test('a busy import goes on after a pause, and its file goes with the result', async () => {
  const here = await importer();
  const { node, begin, told } = await here.start(1);
  const alarms = alarmsOf(here.stage, node);
  here.busy = true;
  await begin();
  const pausedUntilMs = (await told())?.pausedUntilMs ?? 0;
  assert.ok(pausedUntilMs > here.stage.clock.nowMs());
  here.busy = false;
  await here.stage.clock.advance(2 * PAUSE_MS);
  assert.deepEqual([(await told())?.how, here.done.length], ['done', ROWS]);
  await here.stage.clock.advance(RESULT_KEPT_MS + 120_000);
  assert.deepEqual([await told(), await here.stage.shared.get(mediaFiles, { name: FILE })], [undefined, undefined]);
  alarms.close();
});

test('a file goes an hour after its upload if the node dies before its import begins, and stays if it begins', async () => {
  for (const begins of [false, true]) {
    const here = await importer();
    const first = await here.start(1);
    await first.announce();
    here.stage.kill(first.node);
    const next = await here.start(2);
    const alarms = alarmsOf(here.stage, next.node);
    if (begins) await next.begin();
    await here.stage.clock.advance(UPLOAD_MS_MAX + 120_000);
    const stored = await here.stage.shared.get(mediaFiles, { name: FILE });
    assert.equal(stored !== undefined, begins);
    assert.equal((await next.told())?.how, begins ? 'done' : undefined);
    alarms.close();
  }
});

test('an import whose file is lost ends and says so', async () => {
  const here = await importer();
  await here.media.remove(FILE);
  const { begin, told } = await here.start(1);
  await begin();
  assert.deepEqual([(await told())?.how, here.done], ['lost', []]);
});
