import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Document, Peer, Received } from '../../../kit/federation/peer.js';
import { type SecureServer, TrustedLoopback } from '../../../kit/federation/trusted-loopback.js';
import { makeStaff } from '../../../kit/federation/two-places.js';
import { makePeople, type Person } from '../../cluster/people.js';
import { EverySending, kindOf, type Scheme, SENT_KINDS, schemeOf } from './every-sending.js';

const python = process.env.TEST_PYTHON;
assert.ok(python, 'TEST_PYTHON names the interpreter that has apsig; scripts/test.mjs sets it');
const strict = join(process.cwd(), 'test/scenarios/clients/strict_signatures.py');

/** Every kind of document that the server fetches, by the first part of its path. */
const FETCHED = ['featured', 'note', 'notes', 'outbox', 'parent', 'replies', 'synchronization', 'users'];

let loopback: TrustedLoopback;
let server: SecureServer;
let boss: Person;
before(async () => {
  loopback = await TrustedLoopback.open();
  server = await loopback.server();
  boss = await makeStaff(server.dataDir);
});
after(async () => {
  await server?.dispose();
  await loopback?.close();
});

// Both wait for the counts of a poll.
describe('apsig verifies every request', { concurrency: true }, () => {
  for (const scheme of ['cavage', 'rfc9421'] as const)
    test(`to a server that demands ${scheme}`, async () => {
      const peer = await loopback.peer();
      try {
        await sendAll(peer, scheme);
      } finally {
        await peer.close();
      }
      const [signed, unsigned] = [true, false].map((is) =>
        peer.received.filter((one) => (schemeOf(one) !== undefined) === is),
      ) as [Received[], Received[]];
      const taken = signed.filter((one) => schemeOf(one) === scheme);
      const kinds = taken.filter(({ method }) => method === 'POST').map(({ body }) => kindOf(JSON.parse(body)));
      assert.deepEqual([...new Set(kinds)].sort(), SENT_KINDS);
      const folders = taken.filter(({ method }) => method === 'GET').map(({ target }) => target.split('/')[1] ?? '');
      assert.deepEqual([...new Set(folders)].sort(), FETCHED);
      // Only look-ups of names need no signature.
      for (const { method, target } of unsigned)
        assert.match(target, /^\/\.well-known\//, `${method} ${target} is not signed`);
      const requests = await Promise.all(signed.map(withKey));
      assert.deepEqual(
        await verified(requests),
        requests.map(({ keyId }) => keyId),
      );
      await refusesForgeries(requests);
    });
});

async function sendAll(peer: Peer, scheme: Scheme): Promise<void> {
  const names = [`ann_${scheme}`, `dee_${scheme}`];
  const [ann, dee] = (await makePeople(server.dataDir, names)) as [Person, Person];
  // The keys are read before one of the accounts is deleted.
  for (const name of names) await keyOf(`${server.url}/users/${name}#main-key`);
  await new EverySending(server, peer, scheme, { ann, dee, boss }).run();
}

/** The keys of the server's people by key id. */
const keys = new Map<string, Document>();
async function keyOf(keyId: string): Promise<Document> {
  const known = keys.get(keyId);
  if (known !== undefined) return known;
  const answer = await fetch(keyId, { headers: { accept: 'application/activity+json' } });
  const { publicKey } = (await answer.json()) as Document;
  assert.equal(publicKey.id, keyId);
  keys.set(keyId, publicKey);
  return publicKey;
}

/** Returns a request with the key that its key id leads to, which must be the actor's, or for a GET the server's. */
async function withKey(request: Received) {
  const { method, target, headers, body } = request;
  const [, keyId = ''] = /keyid="([^"]+)"/i.exec(headers['signature-input'] ?? headers.signature ?? '') ?? [];
  const { owner, publicKeyPem: publicPem } = await keyOf(keyId);
  assert.equal(owner, method === 'GET' ? `${server.url}/actor` : JSON.parse(body).actor);
  return {
    scheme: schemeOf(request),
    method,
    url: `https://${headers.host}${target}`,
    headers,
    body,
    keyId,
    publicPem,
  };
}
type Keyed = Awaited<ReturnType<typeof withKey>>;

/** Returns the key ids of requests whose signatures apsig verifies. @throws if one is not good */
async function verified(requests: readonly Keyed[]): Promise<string[]> {
  const running = promisify(execFile)(python as string, [strict]);
  running.child.stdin?.end(JSON.stringify(requests));
  return JSON.parse((await running).stdout);
}

/** Shows that the verifier is strict. */
async function refusesForgeries(requests: readonly Keyed[]): Promise<void> {
  const [post, get] = ['POST', 'GET'].map((wanted) => requests.find(({ method }) => method === wanted));
  assert.ok(post && get);
  const forgeries = [
    { ...post, body: `${post.body} ` },
    { ...post, url: `${post.url}2` },
    { ...get, url: `${get.url}2` },
    { ...get, publicPem: post.publicPem },
  ];
  for (const forged of forgeries) await assert.rejects(verified([forged]), /Error/);
}
