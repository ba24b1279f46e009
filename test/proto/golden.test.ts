import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { codec } from '../../proto/codec.js';
import { descriptors } from '../../proto/gen/descriptors.js';
import type { Messages } from '../../proto/gen/types.js';
import { goldenText, readGolden, sampleOf } from './golden-lines.js';

const stored = readFileSync('test/proto/golden.txt', 'utf8');
const golden = readGolden(stored);
const current = readGolden(goldenText());

for (const [name, bytes] of current) {
  test(`${name} has stable bytes`, () => {
    const before = golden.get(name);
    assert.ok(before !== undefined, `${name} has no golden bytes: run node scripts/golden.mjs`);
    assert.equal(
      bytes.toString('hex'),
      before.toString('hex'),
      'other nodes and stored bytes have the former encoding',
    );
    assert.deepEqual(codec(name as keyof Messages).decode(before), sampleOf(name));
  });
}

test('no message with golden bytes is removed', () => {
  assert.deepEqual(
    [...golden.keys()].filter((name) => !current.has(name)),
    [],
  );
});

test('the golden bytes are those that the script writes', () => {
  assert.equal(stored, goldenText());
});

test('every message that the program can encode has golden bytes', () => {
  const messages = Object.entries(descriptors).filter(([, text]) => 'fields' in JSON.parse(text));
  assert.deepEqual([...current.keys()].sort(), messages.map(([name]) => name).sort());
});
