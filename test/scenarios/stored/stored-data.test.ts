import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { differences } from '../requests/read-requests.js';
import { comparable, RECORDED, readAgain } from './stored-data.js';

/** Minimum number of compared answers, below the actual one. */
const READINGS_MIN = 80;

const versions = readdirSync(RECORDED).flatMap((name) => (name.endsWith('.tgz') ? [name.slice(0, -4)] : []));

test('the data of every release since 0.1.0 are recorded', () => {
  assert.ok(versions.includes('0.1.0'));
});

test('a changed or missing field is a difference, an added one is not', () => {
  const answer = (body: object) => new Map([['GET /api/v1/x', `200\n\n${JSON.stringify(body)}`]]);
  const found = (before: object, after: object) => {
    const { recorded, now } = comparable(answer(before), answer(after));
    return differences(recorded, now).length;
  };
  const before = { id: '1', fields: [{ name: 'a', value: 'b' }] };
  assert.equal(found(before, { ...before, added: true }), 0);
  assert.equal(found(before, { id: '1', fields: [{ name: 'a', value: 'c' }] }), 1);
  assert.equal(found(before, { id: '1', fields: [{ name: 'a' }] }), 1);
  assert.equal(found(before, { id: '1', fields: [] }), 1);
  assert.equal(found(before, { fields: before.fields }), 1);
});

for (const version of versions)
  test(`this program reads the data of ${version}: every route answers as that release did`, async () => {
    const { recorded, now } = await readAgain(version);
    const answered = [...recorded.values()].filter((answer) => answer.startsWith('200'));
    assert.ok(answered.length >= READINGS_MIN, `only ${answered.length} of ${recorded.size} routes answered`);
    assert.deepEqual(differences(recorded, now), []);
  });
