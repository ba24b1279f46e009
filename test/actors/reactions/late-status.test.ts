import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initialConversation } from '../../../actors/conversation/state.js';
import { idMs, makeId } from '../../../actors/domain/ids.js';
import { conversationStream } from '../../../actors/reactions/stream.js';
import type { Effects } from '../../../actors/runtime/kind.js';
import type { Publications } from '../../../actors/timelines/publications.js';
import { codec } from '../../../proto/codec.js';
import type { StoreStatusRecord } from '../../../proto/gen/types.js';
import { plainStatus } from '../../gateway/streaming/told-status.js';

const id = makeId(1_767_225_600_000, 7, 0);

/**
 * Publishes a new status at that age. `isPassed` tells for each question if floors of streams may have passed it. Returns
 * the effects in their order.
 */
async function published(ageMs: number, mayRepeat: boolean, has: Publications['has'], isPassed: boolean[] = []) {
  const done: unknown[] = [];
  const effects: Partial<Effects> = {
    mayRepeat,
    stampMs: () => idMs(id) + ageMs,
    async write(rows) {
      await Promise.resolve();
      for (const { value } of rows as readonly { value: StoreStatusRecord }[])
        done.push(['row', value.id, value.late, value.aboveFloors, value.text]);
    },
    publish(_subject, payload) {
      const message = codec('murmuration.node.StatusTopic').decode(payload);
      done.push(['message', message.id, message.mayRepeat, message.late, message.aboveFloors]);
    },
  };
  const status = plainStatus(id, '1');
  const state = initialConversation();
  state.statuses.set(id, { record: status } as never);
  const asked = () => isPassed.shift() ?? assert.fail('nobody asks');
  const added = conversationStream({ has, isPassed: asked }).on.added;
  await added?.({ status } as never, { self: '1', seq: 1, atMs: idMs(id), state }, effects as Effects);
  return done;
}

const nobody = () => assert.fail('nobody asks');

test('a new status is published without a row, and so is one of another server from long ago', async () => {
  const plain = [['message', id, undefined, undefined, undefined]];
  assert.deepEqual(await published(999, false, nobody), plain);
  assert.deepEqual(await published(3_600_001, false, nobody), plain);
});

test('a status is published late after its row, if its effects were slow or a killed owner did not publish it', async () => {
  const late = [
    ['row', id, true, undefined, ''],
    ['message', id, undefined, true, undefined],
  ];
  assert.deepEqual(await published(1_000, false, nobody, [true]), late);
  assert.deepEqual(await published(10, true, () => false, [true]), late);
});

test('the row and the message of a late status tell that no floor has passed it', async () => {
  const aboveFloors = [
    ['row', id, true, true, ''],
    ['message', id, undefined, true, true],
  ];
  assert.deepEqual(await published(1_000, false, nobody, [false, false]), aboveFloors);
  assert.deepEqual(await published(10, true, () => false, [false, false]), aboveFloors);
});

test('a late status that floors passed while its row was written gets another row', async () => {
  assert.deepEqual(await published(1_000, false, nobody, [false, true, true]), [
    ['row', id, true, true, ''],
    ['row', id, true, undefined, ''],
    ['message', id, undefined, true, undefined],
  ]);
});

test('a status is published again as a repeat if this node has received it or cannot know', async () => {
  for (const was of [true, undefined])
    assert.deepEqual(await published(20_000, true, () => was), [['message', id, true, undefined, undefined]]);
});
