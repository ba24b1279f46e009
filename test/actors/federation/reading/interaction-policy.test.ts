import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policiesIn } from '../../../../actors/federation/reading/interaction-policy.js';
import { PUBLIC } from '../../../kit/federation/peer.js';

const author = 'https://v.example/users/vera';

test('a policy permits everybody or followers, and without one nobody may quote', () => {
  const followers = `${author}/followers`;
  const policy = (canQuote: unknown) => policiesIn({ interactionPolicy: { canQuote } }, 'canQuote', followers);
  const none = { automatic: 'nobody', manual: 'nobody' };
  assert.deepEqual(policiesIn({}, 'canQuote', followers), none);
  for (const odd of [undefined, null, 7, [], 'Public', { automaticApproval: author }])
    assert.deepEqual(policy(odd), none);
  assert.deepEqual(policy({ automaticApproval: [followers], manualApproval: PUBLIC }), {
    automatic: 'followers',
    manual: 'public',
  });
  assert.deepEqual(policiesIn({ interactionPolicy: { canQuote: { automaticApproval: '' } } }, 'canQuote', ''), none);
});
