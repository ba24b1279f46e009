import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../../../actors/domain/ids.js';
import { Unavailable } from '../../../../actors/domain/problem.js';
import { journal } from '../../../../store/tables.js';
import { notebook } from '../../../kit/actors/notebook.js';
import { Stage } from '../../../kit/actors/stage.js';

const id = makeId(1_767_225_600_000, 1, 0);
const add = (text: string) => ['notebook', id, 'add', { text }] as const;

test('commands to one actor are carried out in the order in which they were sent', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime } = await stage.node(1);
  const texts = Array.from({ length: 200 }, (_, index) => `line ${index}`);
  const replies = await Promise.all(texts.map((text) => runtime.ask(...add(text))));
  assert.deepEqual(
    replies.map((reply) => (reply as { line: number }).line),
    texts.map((_, index) => index + 1),
  );
  assert.deepEqual(await runtime.ask('notebook', id, 'read', {}), { lines: texts });
});

test('commands that wait together are stored in one append, in order', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime } = await stage.node(1);
  await Promise.all(Array.from({ length: 100 }, (_, index) => runtime.ask(...add(`line ${index}`))));
  assert.equal(runtime.metrics.appends, 2);
  const rows = await stage.shared.range(journal, { actor: `notebook/${id}`, bucket: 0 }, { limit: 200 });
  assert.deepEqual(
    rows.map((row) => row.key.seq),
    Array.from({ length: 100 }, (_, index) => index + 1),
  );
});

test('a full mailbox refuses at once, and queued commands are carried out', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime, store } = await stage.node(1, { mailboxMax: 3 });
  await runtime.ask(...add('first'));
  const proceed = store.holdWrites(journal);
  const underWay = runtime.ask(...add('second'));
  await stage.clock.settle();
  const waiting = ['third', 'fourth', 'fifth'].map((text) => runtime.ask(...add(text)));
  await assert.rejects(runtime.ask(...add('sixth')), Unavailable);
  assert.equal(runtime.metrics.overflows, 1);
  assert.equal(runtime.metrics.mailboxHighWater, 3);
  proceed();
  await Promise.all([underWay, ...waiting]);
  const { lines } = (await runtime.ask('notebook', id, 'read', {})) as { lines: string[] };
  assert.deepEqual(lines, ['first', 'second', 'third', 'fourth', 'fifth']);
});

test('a query does not show entries that are not durable', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime, store } = await stage.node(1);
  await runtime.ask(...add('first'));
  const proceed = store.holdWrites(journal);
  const order: string[] = [];
  const writing = runtime.ask(...add('second')).then(() => order.push('stored'));
  const reading = runtime.ask('notebook', id, 'read', {}).then((reply) => {
    order.push(`read ${(reply as { lines: string[] }).lines.join(' ')}`);
  });
  await stage.clock.settle();
  assert.equal(order.length, 0);
  proceed();
  await Promise.all([writing, reading]);
  assert.ok(order.includes('read first second'));
});

test('a query is answered at once by an idle actor only', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime, store, placement } = await stage.node(1);
  const read = () => runtime.answerNow('notebook', id, 'read', {}) as { lines: string[] } | undefined;
  assert.equal(read(), undefined, 'the actor is not in memory');
  await runtime.ask(...add('first'));
  await stage.clock.settle();
  assert.deepEqual(read(), { lines: ['first'] });
  assert.equal(runtime.answerNow('notebook', id, 'add', { text: 'second' }), undefined, 'no query');
  const proceed = store.holdWrites(journal);
  const writing = runtime.ask(...add('second'));
  assert.equal(read(), undefined, 'a command waits');
  await stage.clock.settle();
  assert.equal(read(), undefined, 'a command is being stored');
  proceed();
  await writing;
  await stage.clock.settle();
  assert.deepEqual(read(), { lines: ['first', 'second'] });
  placement.epoch = undefined;
  assert.equal(read(), undefined, 'another node owns the shard');
});

test('a query reaches the actor of its kind, and no stopped or replaced one', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const kinds = [notebook(), { ...notebook(), name: 'diary' }];
  const { runtime, placement } = await stage.node(1, { idleMs: 60_000 }, kinds);
  const read = (kind: string) => runtime.answerNow(kind, id, 'read', {}) as { lines: string[] } | undefined;
  await runtime.ask(...add('first'));
  await runtime.ask('diary', id, 'add', { text: 'dear' });
  await stage.clock.settle();
  for (let turn = 0; turn < 2; turn++) {
    assert.deepEqual([read('notebook')?.lines, read('diary')?.lines], [['first'], ['dear']]);
  }
  await stage.clock.advance(120_000);
  assert.equal(runtime.metrics.activations, 0);
  assert.deepEqual([read('notebook'), read('diary')], [undefined, undefined]);
  await runtime.ask(...add('second'));
  await stage.clock.settle();
  assert.deepEqual(read('notebook')?.lines, ['first', 'second']);
  // Another epoch: the next command replaces the activation.
  placement.epoch = 2;
  await runtime.ask(...add('third'));
  await stage.clock.settle();
  assert.deepEqual([read('notebook')?.lines, read('diary')], [['first', 'second', 'third'], undefined]);
});

test('the revision of a state is the same until the next entry, and absent while the actor is busy or away', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime, placement, store } = await stage.node(1, { idleMs: 60_000 });
  const revision = () => runtime.revisionNow('notebook', id);
  assert.equal(revision(), undefined);
  await runtime.ask(...add('first'));
  await stage.clock.settle();
  const first = revision();
  assert.ok(first !== undefined);
  await runtime.ask('notebook', id, 'read', {});
  assert.equal(revision(), first);
  const proceed = store.holdWrites(journal);
  const adding = runtime.ask(...add('second'));
  await stage.clock.settle();
  assert.equal(revision(), undefined, 'the entry is not stored yet');
  proceed();
  await adding;
  await stage.clock.settle();
  const second = revision();
  assert.ok(second !== undefined && second !== first);
  await stage.clock.advance(120_000);
  assert.equal(revision(), undefined);
  await runtime.ask('notebook', id, 'read', {});
  await stage.clock.settle();
  const again = revision();
  assert.ok(again !== undefined && again !== second);
  placement.epoch = 2;
  assert.equal(revision(), undefined);
});

test('a command that waited past its deadline is refused and never carried out', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime, store } = await stage.node(1);
  await runtime.ask(...add('first'));
  const proceed = store.holdWrites(journal);
  const underWay = runtime.ask(...add('second'));
  await stage.clock.settle();
  const late = runtime.ask('notebook', id, 'add', { text: 'late' }, undefined, 500);
  const refused = assert.rejects(late, Unavailable);
  await stage.clock.advance(1_000);
  await refused;
  proceed();
  await underWay;
  assert.deepEqual(await runtime.ask('notebook', id, 'read', {}), { lines: ['first', 'second'] });
});

test('a refusal is returned, with its fields, and records nothing', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime } = await stage.node(1);
  assert.deepEqual(await runtime.ask('notebook', id, 'erase', {}), {
    problem: 'forbidden',
    detail: 'Ink stays',
    fields: { page: [{ error: 'ERR_INVALID', description: 'is ink' }] },
  });
  assert.equal(runtime.metrics.entries, 0);
});
