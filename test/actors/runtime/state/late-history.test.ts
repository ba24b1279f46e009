import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../../../actors/domain/ids.js';
import { Unavailable } from '../../../../actors/domain/problem.js';
import type { RowWrite } from '../../../../store/port.js';
import { journal } from '../../../../store/tables.js';
import { pages } from '../../../kit/actors/notebook.js';
import { Stage, type StageNode } from '../../../kit/actors/stage.js';

const ID = makeId(1_767_225_600_000, 0, 0);
const LIMITS = { idleMs: 5_000, quietMs: 500 };
/** Longer than effects, settling and passivation take. */
const REST_MS = 60_000;

/** Successive owners of one notebook, each of which dies. */
class Owners {
  readonly stage = new Stage();
  private node!: StageNode;

  /** Starts the next owner, which reads the notebook and finishes its effects. */
  async next(epoch: number): Promise<string[]> {
    this.node?.store.mend();
    if (this.node !== undefined) this.stage.kill(this.node);
    this.node = await this.stage.node(epoch, LIMITS);
    const lines = await this.lines();
    await this.stage.clock.advance(REST_MS);
    return lines;
  }

  async lines(): Promise<string[]> {
    return ((await this.node.runtime.ask('notebook', ID, 'read', {})) as { lines: string[] }).lines;
  }

  async shown(): Promise<string[]> {
    const rows = await this.stage.shared.range(pages, { notebook: ID }, { limit: 10 });
    return rows.map((row) => row.value.text);
  }

  async add(text: string): Promise<void> {
    const reply = this.node.runtime.ask('notebook', ID, 'add', { text });
    await Promise.all([reply, this.stage.clock.advance(REST_MS)]);
  }

  /** Writes an entry that is reported as failed. The returned function stores it. */
  async addLate(text: string): Promise<() => Promise<void>> {
    const late: (readonly RowWrite[])[] = [];
    this.node.store.beforeWrite = (rows) => {
      if (!rows.some((row) => row.table.name === journal.name)) return;
      late.push(rows);
      throw new Unavailable('the store did not answer in time');
    };
    await assert.rejects(this.add(text), Unavailable);
    return async () => {
      for (const rows of late) await this.stage.shared.write(rows);
    };
  }
}

test('a late entry that an owner has shown and carried out stays, whatever is stored after it', async (t) => {
  const owners = new Owners();
  t.after(() => owners.stage.close());
  await owners.next(5);
  await owners.add('first');
  await owners.next(6);
  const landSix = await owners.addLate('of six');
  await owners.next(7);
  const landSeven = await owners.addLate('of seven');
  await landSix();
  assert.deepEqual(await owners.next(8), ['first', 'of six']);
  assert.deepEqual(await owners.shown(), ['first', 'of six']);
  await landSeven();
  assert.deepEqual(await owners.next(9), ['first', 'of six']);
  await owners.add('of nine');
  assert.deepEqual(await owners.lines(), ['first', 'of six', 'of nine']);
  assert.deepEqual(await owners.shown(), ['first', 'of six', 'of nine'], 'effects of all acknowledged commands');
});
