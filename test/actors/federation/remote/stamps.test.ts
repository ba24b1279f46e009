import assert from 'node:assert/strict';
import { test } from 'node:test';
import { featureStampDocument, stampDocument } from '../../../../actors/federation/documents/stamp.js';
import { Stamps } from '../../../../actors/federation/remote/stamps.js';
import type { FetchOutcome } from '../../../../transport/federation/port.js';

const FAR = 'https://far.example';
const ben = `${FAR}/users/ben`;
const collection = 'https://here.example/users/ann/collections/3';

/** Returns stamps over a server that answers every fetch in one way. */
function answering(outcome: (uri: string) => FetchOutcome) {
  const fetched: string[] = [];
  const stamps = new Stamps({
    object: async (uri) => {
      fetched.push(uri);
      return outcome(uri);
    },
  });
  return { stamps, fetched };
}
const feature = (uri = `${FAR}/stamps/1`) => featureStampDocument({ uri, featured: ben, collection });
const serving = (document: object) => (url: string) => ({ kind: 'object', value: document, url }) as FetchOutcome;

test('proven, forged and unreachable stamps are counted by type', async () => {
  const { stamps } = answering(serving(feature()));
  assert.equal(await stamps.prove(feature()), 'accepted');
  const quote = { quotedAuthor: ben, quoting: 'https://here.example/1', quoted: `${ben}/statuses/1` };
  assert.equal(await stamps.prove(stampDocument({ uri: `${FAR}/stamps/1`, ...quote })), 'rejected');
  assert.deepEqual(stamps.figures, {
    QuoteAuthorization: { accepted: 0, rejected: 1, later: 0 },
    FeatureAuthorization: { accepted: 1, rejected: 0, later: 0 },
  });
  for (const [kind, outcome] of [
    ['failed', 'later'],
    ['gone', 'rejected'],
    ['unusable', 'rejected'],
  ] as const) {
    const { stamps: others } = answering(() => ({ kind }) as FetchOutcome);
    assert.equal(await others.prove(feature()), outcome, kind);
    assert.equal(others.figures.FeatureAuthorization[outcome], 1, kind);
  }
});

test('a stamp of another origin than its author’s is counted as rejected, once, and not fetched', async () => {
  const { stamps, fetched } = answering(serving(feature('https://v.example/stamps/1')));
  assert.equal(await stamps.prove(feature('https://v.example/stamps/1')), 'rejected');
  assert.equal(stamps.mayBe(feature('https://v.example/stamps/2')), false);
  assert.equal(stamps.mayBe(feature()), true);
  assert.deepEqual([fetched, stamps.figures.FeatureAuthorization.rejected], [[], 2]);
});
