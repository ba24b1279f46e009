import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockLists } from '../../../actors/instance/block-lists.js';
import { entries } from '../../../actors/instance/entries.js';
import { initialInstance } from '../../../actors/kinds/instance.js';
import { joined } from '../../../actors/runtime/slice.js';
import { given } from '../../kit/actors/given.js';

const url = 'https://lists.example/blocks.csv';
const subscription = {
  ...{ collection: 'block_lists', id: '', key: url, atMs: 0, updatedAtMs: 0 },
  blockList: { policy: 'apply', lifted: [] },
};
const limit = (lists: readonly string[], severity = 'suspend', id = '') => ({
  ...{ collection: 'domain_blocks', id, key: 'bad.example', atMs: 0, updatedAtMs: 0 },
  domain: {
    ...{ severity, rejectMedia: false, rejectReports: false, obfuscate: false },
    ...{ publicComment: '', privateComment: '', lists },
  },
});

/** Returns an instance with one subscription, whose list has brought a limit, and the ids of both entries. */
function listed() {
  const added = given(joined([entries, blockLists]), initialInstance()).when('putEntry', {
    ...{ entry: subscription, by: '', replace: false },
  });
  const list = (added.reply as { id: string }).id;
  const limited = added.when('putEntry', { entry: limit([list]), by: list, replace: false });
  return { limited, list, id: (limited.reply as { id: string }).id };
}

test('a limit that a list brought gives way to a person, and no list changes it from then on', () => {
  const { limited, list, id } = listed();
  const decided = limited.when('putEntry', { entry: limit([], 'silence'), by: '7', replace: false });
  assert.equal(decided.lastProblem, undefined);
  const heldOf = (one: typeof limited) => one.state.entries.get('domain_blocks')?.get(id)?.domain;
  assert.deepEqual([heldOf(decided)?.severity, heldOf(decided)?.lists], ['silence', []]);
  for (const forced of [limit([list]), limit([list], 'suspend', id)]) {
    const refused = decided.when('putEntry', { entry: forced, by: list, replace: false });
    assert.equal(refused.lastProblem?.problem, 'invalid');
    assert.equal(heldOf(refused)?.severity, 'silence');
  }
});

test('a list learns of the limits that a person lifts, not of those that it ends itself', () => {
  const { limited, list, id } = listed();
  const liftedOf = (by: string) => {
    const removed = limited.when('removeEntry', { collection: 'domain_blocks', id, by });
    assert.equal(removed.state.entries.get('domain_blocks')?.size, 0);
    return removed.state.entries.get('block_lists')?.get(list)?.blockList?.lifted;
  };
  assert.deepEqual(liftedOf('7'), ['bad.example']);
  assert.deepEqual(listed().limited.state.entries.get('block_lists')?.get(list)?.blockList?.lifted, []);
});

test('a reading is recorded with its subscription alone', () => {
  const { limited, list, id } = listed();
  const reading = { triedAtMs: 5, readAtMs: 5, problem: '', applied: true, added: 1, changed: 0, removed: 0 };
  const noted = limited.when('noteReading', { id: list, reading });
  assert.deepEqual(noted.state.entries.get('block_lists')?.get(list)?.blockList?.reading, reading);
  assert.equal(limited.when('noteReading', { id, reading }).lastProblem?.problem, 'not_found');
});
