import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Commands,
  type Events,
  PROOF_ALARM,
  proof,
  type State,
  WAITS_MS,
} from '../../../actors/web-page/proof.js';
import { FETCH_MS_MAX } from '../../../actors/web-page/web-page.js';
import { given } from '../../kit/actors/given.js';

const startMs = 1_767_225_600_000;
const wanted = { url: 'https://example.org/', back: 'https://here.example/@ada', by: '1' };
const pair = () => given<State, Commands, Events>(proof, { proof: undefined });
const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);

test('a page is fetched by one node at a time, and again when that node was lost', () => {
  const asked = pair().when('wantProof', wanted);
  assert.equal(asked.when('wantProof', wanted, { nowMs: startMs + FETCH_MS_MAX - 1 }).events.length, 1);
  assert.equal(asked.when('wantProof', wanted, { nowMs: startMs + FETCH_MS_MAX }).events.length, 2);
});

test('a page that does not link back is fetched again later, a limited number of times', () => {
  let page = pair().when('wantProof', wanted);
  let nowMs = startMs;
  for (const waitMs of WAITS_MS) {
    page = page.when('finishProof', { proven: false }, { nowMs });
    nowMs += waitMs;
    assert.equal(page.state.proof?.againAtMs, nowMs);
    assert.deepEqual(page.when('alarm', { what: PROOF_ALARM, atMs: nowMs - 1 }, { nowMs }).events, page.events);
    page = page.when('alarm', { what: PROOF_ALARM, atMs: nowMs }, { nowMs });
  }
  assert.equal(page.when('finishProof', { proven: false }, { nowMs }).state.proof?.againAtMs, 0);
  assert.equal(page.when('wantProof', wanted, { nowMs }).state.proof?.tries, 1, 'a new request starts again');
});

test('a verified page is not fetched again by itself, and an unrequested result is ignored', () => {
  const proven = pair().when('wantProof', wanted).when('finishProof', { proven: true });
  assert.deepEqual(types(proven.events), ['proofWanted', 'proofFinished']);
  assert.equal(proven.state.proof?.againAtMs, 0);
  assert.equal(proven.when('finishProof', { proven: true }).events.length, 2);
  assert.deepEqual(pair().when('finishProof', { proven: true }).events, []);
  assert.deepEqual(pair().when('alarm', { what: PROOF_ALARM, atMs: 0 }).events, []);
});
