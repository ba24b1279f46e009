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

/** Publishes a new status at that age. Returns the effects in their order. */
async function published(ageMs: number, mayRepeat: boolean, has: Publications['has']) {
  const done: unknown[] = [];
  const effects: Partial<Effects> = {
    mayRepeat,
    stampMs: () => idMs(id) + ageMs,
    async write(rows) {
      await Promise.resolve();
      for (const { value } of rows as readonly { value: StoreStatusRecord }[])
        done.push(['row', value.id, value.late, value.text]);
    },
    publish(_subject, payload) {
      const message = codec('murmuration.node.StatusTopic').decode(payload);
      done.push(['message', message.id, message.mayRepeat, message.late]);
    },
  };
  const status = plainStatus(id, '1');
  const state = initialConversation();
  state.statuses.set(id, { record: status } as never);
  const added = conversationStream({ has }).on.added;
  await added?.({ status } as never, { self: '1', seq: 1, atMs: idMs(id), state }, effects as Effects);
  return done;
}

test('a new status is published without a row, and so is one of another server from long ago', async () => {
  const has = () => assert.fail('nobody asks');
  assert.deepEqual(await published(999, false, has), [['message', id, undefined, undefined]]);
  assert.deepEqual(await published(3_600_001, false, has), [['message', id, undefined, undefined]]);
});

test('a status is published late after its row, if its effects were slow or a killed owner did not publish it', async () => {
  const late = [
    ['row', id, true, ''],
    ['message', id, undefined, true],
  ];
  assert.deepEqual(await published(1_000, false, () => undefined), late);
  assert.deepEqual(await published(10, true, () => false), late);
});

test('a status is published again as a repeat if this node has received it or cannot know', async () => {
  for (const was of [true, undefined])
    assert.deepEqual(await published(20_000, true, () => was), [['message', id, true, undefined]]);
});
