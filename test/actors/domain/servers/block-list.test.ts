import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBlocks, writeBlocks } from '../../../../actors/domain/servers/block-list.js';

const suspended = (domain: string) => ({
  domain,
  ...{ severity: 'suspend', rejectMedia: false, rejectReports: false, publicComment: '', obfuscate: false },
});

test("Mastodon's export is read, with its columns in any order and comments in quotes", () => {
  const text = '\ufeff#severity,#domain,#public_comment,#reject_media\r\nsilence,loud.example,"so, ""loud""",true\r\n';
  assert.deepEqual(readBlocks(text), [
    { ...suspended('loud.example'), severity: 'silence', rejectMedia: true, publicComment: 'so, "loud"' },
  ]);
});

test('a plain list of names suspends them, and empty lines are no names', () => {
  assert.deepEqual(readBlocks('one.example\n\n two.example ,\n,suspend\n'), [
    suspended('one.example'),
    suspended('two.example'),
  ]);
});

test('a written list is read again, with one line for each block', () => {
  const blocks = [
    suspended('one.example'),
    { ...suspended('two.example'), publicComment: 'a "b", c', obfuscate: true },
  ];
  const text = writeBlocks(blocks);
  assert.equal(text.split('\n').length, 4);
  assert.deepEqual(readBlocks(text), blocks);
});

test('a line far longer than any block is cut, and no other line suffers', () => {
  const [first, second] = readBlocks(
    `#domain,#severity,#public_comment\na.example,noop,${'x'.repeat(100_000)}\nb.example\n`,
  );
  assert.equal(first?.publicComment.length, 500);
  assert.equal(second?.domain, 'b.example');
});

test('hostile CSV of 2 MB is read without a long pause', () => {
  for (const text of [','.repeat(2e6), '\n'.repeat(2e6), `${','.repeat(999)}\n`.repeat(2_000), '"'.repeat(2e6)]) {
    const startMs = performance.now();
    readBlocks(text, 20_000);
    assert.ok(performance.now() - startMs < 500, text.slice(0, 3));
  }
});
