import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../../actors/domain/ids.js';
import type { AccountCollection } from '../../../proto/gen/types.js';
import { newcomer, other, startMs } from './newcomer.js';

const text = { name: 'Birds', description: '', language: '', tag: '', sensitive: false, discoverable: true };
const STAMP = 'https://far.example/stamps/1';
const stranger = makeId(startMs + 1, 3, 0);
const featured = { account: other, consent: 'public', asked: true };

/** Returns an account with a collection in which one of another server is pending. */
function asking() {
  const alice = newcomer().when('createCollection', { text, accounts: [featured] });
  const { id, items } = alice.reply as unknown as AccountCollection;
  const item = items[0]?.id ?? '';
  const place = () => alice.state.collections.get(id)?.items.get(item);
  const settle = (more: object = {}) => alice.when('settleFeature', { id, by: other, ...more });
  const add = () => alice.when('addToCollection', { id, featured });
  return { alice, id, item, place, settle, add };
}

test('an account of another server is pending until its stamp is proven, and a repetition is not recorded', () => {
  const { alice, item, place, settle } = asking();
  const recorded = ({ events }: typeof alice) => events.length - alice.events.length;
  assert.deepEqual(place(), { id: item, account: other, createdAtMs: startMs, pending: true });
  assert.equal(recorded(settle({ item, stampUri: STAMP })), 1);
  assert.deepEqual(place(), { id: item, account: other, createdAtMs: startMs, stampUri: STAMP });
  assert.equal(recorded(settle({ stampUri: STAMP })), 0);
  settle({ stampUri: `${STAMP}0` });
  assert.equal(place()?.stampUri, `${STAMP}0`);
  assert.equal(alice.state.collections.size, 1);
});

test('a refusal removes the account, which may be asked again; a revocation removes it for good', () => {
  const refused = asking();
  refused.settle();
  assert.equal(refused.place(), undefined);
  assert.equal(refused.add().lastProblem, undefined);
  for (const command of ['settleFeature', 'endFeature'] as const) {
    const { alice, id, place, settle, add } = asking();
    settle({ stampUri: STAMP });
    if (command === 'endFeature') alice.when('endFeature', { id, by: other, stampUri: STAMP });
    else settle();
    assert.equal(place(), undefined);
    assert.equal(add().lastProblem?.problem, 'forbidden');
  }
});

test('answers of somebody else, about other places and with other stamps change nothing', () => {
  const { alice, id, item, place, settle } = asking();
  for (const odd of [
    { by: stranger, stampUri: STAMP },
    { by: stranger },
    { item: stranger, stampUri: STAMP },
    { id: stranger, stampUri: STAMP },
    { stampUri: `${STAMP}${'0'.repeat(500)}` },
  ])
    assert.equal(settle(odd).lastProblem?.problem, 'not_found', JSON.stringify(odd));
  const end = (more: object) => alice.when('endFeature', { id, by: other, stampUri: STAMP, ...more });
  assert.equal(end({}).lastProblem?.problem, 'not_found', 'it has given no stamp yet');
  settle({ item, stampUri: STAMP });
  for (const odd of [{ by: stranger }, { stampUri: `${STAMP}0` }, { id: stranger }])
    assert.equal(end(odd).lastProblem?.problem, 'not_found', JSON.stringify(odd));
  assert.equal(place()?.stampUri, STAMP);
  const local = newcomer().when('createCollection', { text, accounts: [{ account: other, consent: 'public' }] });
  const { id: own } = local.reply as unknown as AccountCollection;
  assert.equal(
    local.when('settleFeature', { id: own, by: other }).lastProblem?.problem,
    'not_found',
    'a local account',
  );
});

test('an account of another server is asked only if its policy lets the owner ask', () => {
  for (const consent of ['nobody', '', 'followers'])
    assert.equal(
      newcomer().when('createCollection', { text, accounts: [{ ...featured, consent }] }).lastProblem?.problem,
      'forbidden',
    );
});
