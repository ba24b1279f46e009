import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { NO_LIMITS } from '../../../../actors/domain/servers/domain-policy.js';
import { digestOf } from '../../../kit/federation/cavage.js';
import type { PeerActor } from '../../../kit/federation/peer.js';
import { ForeignWorld } from './foreign-world.js';

let world: ForeignWorld;
let ann: PeerActor;
let annId: string;
before(async () => {
  world = await ForeignWorld.open();
  ann = world.peer.actor('ann');
  annId = world.knows(ann).id;
});
after(() => world?.peer.close());

const follow = () => ann.activity('Follow', world.localUri);
/** Asserts that a request got this answer and had no effect. */
async function withoutEffect(answer: Promise<string>, expected: string): Promise<void> {
  const before = world.sent.length;
  assert.equal(await answer, expected);
  assert.equal(world.sent.length, before);
}

test('a signed activity takes effect once, however often its request or the activity is repeated', async () => {
  const activity = follow();
  const { headers, body } = ann.signed(`${world.url}/inbox`, activity);
  assert.equal(await world.receives(headers, body), 'taken');
  const asked = { target: '000000000000000001', targetLocked: false, reblogs: true, notify: false };
  assert.deepEqual(world.sent.at(-1), [annId, 'follow', { ...asked, activityId: activity.id }]);
  await withoutEffect(world.receives(headers, body), 'taken');
  // The same activity in another request.
  await withoutEffect(world.gets(ann, { ...activity, note: 'again' }), 'taken');
});

test('requests without a valid signature are refused', async () => {
  const body = JSON.stringify(follow());
  await withoutEffect(world.receives({}, body), 'unauthorized');
  await withoutEffect(world.receives({ signature: 'x' }, body), 'unauthorized');
  const { headers } = ann.signed(`${world.url}/inbox`, body);
  await withoutEffect(world.receives(headers, JSON.stringify(follow())), 'unauthorized');
  await withoutEffect(world.receives({ ...headers, digest: digestOf('x') }, body), 'unauthorized');
  await withoutEffect(world.gets(ann, follow(), { target: '/users/local/inbox' }), 'unauthorized');
  for (const covered of [['date'], ['(request-target)', 'host', 'date'], ['(request-target)', 'date', 'digest']]) {
    const short = ann.signed(`${world.url}/inbox`, body, { covered });
    await withoutEffect(world.receives(short.headers, body), 'unauthorized');
  }
  for (const hours of [-13, 2]) {
    const late = ann.signed(`${world.url}/inbox`, body, { atMs: Date.now() + hours * 3_600_000 });
    await withoutEffect(world.receives(late.headers, body), 'unauthorized');
  }
});

test('bodies that are no activities are refused, and those of another actor than the signer, too', async () => {
  for (const body of ['', 'x', '[]', '{}', '{"type":"Follow"}', `{"type":["Follow"],"actor":"${ann.uri}"}`]) {
    await withoutEffect(world.gets(ann, body), 'bad_request');
  }
  await withoutEffect(world.gets(ann, `{"a":${'['.repeat(40)}${']'.repeat(40)}}`), 'bad_request');
  await withoutEffect(world.gets(ann, { ...follow(), actor: 'https://v.example/users/victim' }), 'forbidden');
  await withoutEffect(world.gets(ann, { ...follow(), id: 'https://v.example/acts/1' }), 'forbidden');
  // Its server forwards an activity; the proof of its author within is not checked.
  const forwarded = { ...follow(), actor: 'https://v.example/users/victim', signature: { type: 'RsaSignature2017' } };
  await withoutEffect(world.gets(ann, forwarded), 'taken');
});

test('an id that was refused is not remembered', async () => {
  const ben = world.peer.actor('ben');
  world.knows(ben);
  const activity = follow();
  await withoutEffect(world.gets(ben, activity), 'forbidden');
  assert.equal(await world.gets(ann, activity), 'taken');
  const [, , asked] = world.sent.at(-1) ?? [];
  assert.equal((asked as { activityId?: string } | undefined)?.activityId, activity.id);
});

test('the deletion of an unknown account is taken without a fetch and without a signature', async () => {
  const gone = 'https://gone.example/users/x';
  const fetched = world.fetched.length;
  const body = JSON.stringify({ type: 'Delete', id: `${gone}#delete`, actor: gone, object: gone });
  await withoutEffect(world.receives({}, body), 'taken');
  assert.equal(world.fetched.length, fetched);
});

test('a key that was replaced is fetched again, and a key that cannot be fetched is refused', async () => {
  const cleo = world.peer.actor('cleo');
  world.knows(cleo);
  assert.equal(await world.gets(cleo, cleo.activity('Follow', world.localUri)), 'taken');
  cleo.rotate();
  assert.equal(await world.gets(cleo, cleo.activity('Follow', world.localUri)), 'taken');
  const dan = world.peer.actor('dan');
  await withoutEffect(world.gets(dan, dan.activity('Follow', world.localUri)), 'unauthorized');
});

test('a key of this server is refused, and a suspended sender has no effect', async () => {
  const { headers, body } = ann.signed(`${world.url}/inbox`, follow());
  const signature = headers.signature?.replace(/keyId="[^"]*"/, `keyId="${world.url}/users/local#main-key"`) ?? '';
  await withoutEffect(world.receives({ ...headers, signature }, body), 'unauthorized');
  const fay = world.peer.actor('fay');
  world.knows(fay, { suspendedAtMs: 1 });
  await withoutEffect(world.gets(fay, fay.activity('Follow', world.localUri)), 'taken');
});

test('unknown activities are taken without effect', async () => {
  await withoutEffect(world.gets(ann, ann.activity('Dance', world.localUri)), 'taken');
  await withoutEffect(world.gets(ann, ann.activity('constructor', world.localUri)), 'taken');
});

test('nothing is taken from a suspended server, and nothing is fetched from it', async () => {
  const { host } = world.peer;
  const gil = world.peer.actor('gil');
  world.policies.set(host, { ...NO_LIMITS, suspended: true });
  const fetched = world.fetched.length;
  await withoutEffect(world.gets(ann, follow()), 'forbidden');
  await withoutEffect(world.gets(gil, gil.activity('Follow', world.localUri)), 'forbidden');
  assert.equal(world.fetched.length, fetched);
  world.policies.delete(host);
  // The server of its address is suspended, the one of its documents is not.
  world.policies.set('other.example', { ...NO_LIMITS, suspended: true });
  world.knows(gil, { domain: 'other.example' });
  await withoutEffect(world.gets(gil, gil.activity('Follow', world.localUri)), 'taken');
});
