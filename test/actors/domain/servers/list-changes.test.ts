import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBlocks } from '../../../../actors/domain/servers/block-list.js';
import { changesOf, endOf, isShrunk, protectedDomains } from '../../../../actors/domain/servers/list-changes.js';
import type { InstanceEntry } from '../../../../proto/gen/types.js';

const FREE = { isProtected: protectedDomains([]), lifted: [] };

/** Returns the entry of a limit with the content that a list gives by default. */
const limit = (key: string, lists: readonly string[], severity = 'suspend'): InstanceEntry => ({
  ...{ collection: 'domain_blocks', id: `id of ${key}`, key, atMs: 0, updatedAtMs: 0 },
  domain: {
    ...{ severity, rejectMedia: false, rejectReports: false, obfuscate: false },
    ...{ publicComment: '', privateComment: '', lists },
  },
});
const keys = (some: readonly { readonly key: string }[]) => some.map(({ key }) => key);

test('a list adds, changes and removes its own limits, and none of an operator', () => {
  const known = [
    limit('same.example', ['1']),
    limit('softer.example', ['1'], 'silence'),
    limit('gone.example', ['1']),
    limit('own.example', [], 'noop'),
    limit('other.example', ['2']),
  ];
  const csv = 'Same.example,suspend\nsofter.example,suspend\nown.example,suspend\nnew.example,silence\n';
  const { added, changed, shared, removed, skipped } = changesOf('1', readBlocks(csv), known, FREE);
  assert.deepEqual(
    [keys(added), keys(changed), keys(shared), keys(removed)],
    [['new.example'], ['softer.example'], [], ['gone.example']],
  );
  assert.deepEqual(added[0]?.domain.lists, ['1']);
  assert.equal(skipped, 1);
});

test('a limit of two lists is as the first gives it, and ends with the last', () => {
  const known = [limit('bad.example', ['1'])];
  const joined = changesOf('2', readBlocks('bad.example,silence'), known, FREE);
  assert.deepEqual([joined.added.length, joined.changed.length], [0, 0]);
  assert.deepEqual(joined.shared[0]?.domain, { ...known[0]?.domain, lists: ['1', '2'] });

  const both = [limit('bad.example', ['1', '2'])];
  const left = endOf('1', both);
  assert.deepEqual([left.removed.length, left.shared[0]?.domain.lists], [0, ['2']]);
  const alone = [limit('bad.example', ['2'])];
  const now = changesOf('2', readBlocks('bad.example,silence'), alone, FREE);
  assert.equal(now.changed[0]?.domain.severity, 'silence');
  assert.deepEqual(keys(endOf('2', alone).removed), ['bad.example']);
});

test('no list limits a protected domain, one above it, or one that an operator has freed', () => {
  const csv = 'example\nhere.example\nsub.here.example\nfriend.example\nfreed.example\nburnt.example,burn\nnot a name';
  const bounds = { isProtected: protectedDomains(['here.example', 'friend.example']), lifted: ['freed.example'] };
  const { added, skipped } = changesOf('1', readBlocks(csv), [], bounds);
  assert.deepEqual([keys(added), skipped], [['sub.here.example'], 6]);
});

test('a list that loses more than half of its domains waits for an operator, unless it lost few', () => {
  const isHeld = (before: number, after: number) => {
    const known = Array.from({ length: before }, (_, at) => limit(`d${at}.example`, ['1']));
    const blocks = readBlocks(Array.from({ length: after }, (_, at) => `d${at}.example`).join('\n'));
    return isShrunk('1', changesOf('1', blocks, known, FREE), known);
  };
  assert.deepEqual([isHeld(12, 2), isHeld(30, 15), isHeld(30, 14)], [false, false, true]);
});
