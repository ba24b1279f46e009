import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Peer } from '../../kit/federation/peer.js';
import { type SecureServer, TrustedLoopback } from '../../kit/federation/trusted-loopback.js';
import { type Answer, seen } from '../../kit/federation/two-places.js';
import { call, makePeople, type Person } from '../cluster/people.js';

let loopback: TrustedLoopback;
let server: SecureServer;
let peer: Peer;
let ada: Person;
before(async () => {
  loopback = await TrustedLoopback.open();
  peer = await loopback.peer();
  server = await loopback.server();
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
});
after(async () => {
  await server?.dispose();
  await peer?.close();
  await loopback?.close();
});

/** Serves a page that names its author; returns the authors on its card. */
async function authorsOf(path: string, creator: string): Promise<Answer[]> {
  const head = `<title>News</title><meta name="fediverse:creator" content="${creator}">`;
  const body = `<html><head>${head}</head></html>`;
  peer.answer(path, { status: 200, headers: { 'content-type': 'text/html' }, body });
  const posted = (await call(server.url, ada, 'POST', '/api/v1/statuses', { status: `${peer.url}${path}` })) as Answer;
  const card = await seen('the card', async () => {
    const status = (await call(server.url, ada, 'GET', `/api/v1/statuses/${posted.id}`)) as Answer;
    return status.card ?? undefined;
  });
  return card.authors;
}

test('a card names an author of another server who allows the domain of the page, and nobody else', async () => {
  peer.actor('bob', { attributionDomains: ['127.0.0.1'] });
  peer.actor('eve', { attributionDomains: ['other.example', 7, 'x y'] });
  const [author] = await authorsOf('/by-bob', `@bob@${peer.host}`);
  assert.deepEqual([author.account.acct, author.url], [`bob@${peer.host}`, `${peer.url}/@bob`]);
  for (const [path, creator] of [
    ['/by-eve', `@eve@${peer.host}`],
    ['/by-nobody', `@nobody@${peer.host}`],
    ['/by-text', 'bob'],
  ] as const)
    assert.deepEqual(await authorsOf(path, creator), [], path);
});
