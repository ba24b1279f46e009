import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Codec } from '../../proto/codec.js';
import { decodedOnce } from '../../proto/decoded-once.js';

interface Text {
  readonly text: string;
}

function counted() {
  const here = { decoded: 0 };
  const codec: Codec<Text> = {
    name: 'Text',
    encode: ({ text }) => Buffer.from(text),
    decode: (bytes) => {
      here.decoded += 1;
      return { text: Buffer.from(bytes).toString() };
    },
  };
  return { here, codec: decodedOnce(codec) };
}

test('the same bytes are decoded once', () => {
  const { here, codec } = counted();
  const first = codec.decode(Buffer.from('a'));
  assert.equal(codec.decode(Buffer.from('a')), first);
  assert.equal(here.decoded, 1);
});

test('other bytes are decoded, also after the memory of the first has changed', () => {
  const { codec } = counted();
  const bytes = Buffer.from('a');
  assert.deepEqual(codec.decode(bytes), { text: 'a' });
  bytes.write('b');
  assert.deepEqual(codec.decode(bytes), { text: 'b' });
  assert.deepEqual(codec.decode(Buffer.from('ab')), { text: 'ab' });
  assert.deepEqual(codec.decode(Buffer.alloc(0)), { text: '' });
});
