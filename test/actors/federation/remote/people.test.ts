import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../../../actors/domain/ids.js';
import { type DomainPolicies, NO_LIMITS } from '../../../../actors/domain/servers/domain-policy.js';
import { People } from '../../../../actors/federation/remote/people.js';
import { Registrar } from '../../../../actors/registry.js';
import type { JsonObject } from '../../../../transport/federation/bounded-json.js';
import type { FetchOutcome } from '../../../../transport/federation/port.js';
import { town } from '../../reactions/town.js';

type Document = Record<string, unknown>;

/** The documents of other servers by address. An answer is the object, or how the fetch fails. */
class Web {
  readonly documents = new Map<string, FetchOutcome | Document>();
  readonly asked: string[] = [];

  actor(host: string, name: string, more: Document = {}): Document {
    const id = `https://${host}/users/${name}`;
    const actor = { id, type: 'Person', preferredUsername: name, inbox: `${id}/inbox`, ...more };
    this.documents.set(id, actor);
    this.finger(host, name, id);
    return actor;
  }

  finger(host: string, name: string, href: string, subject = `acct:${name}@${host}`): void {
    const resource = encodeURIComponent(`acct:${name}@${host}`);
    const links = [{ rel: 'self', type: 'application/activity+json', href }];
    this.documents.set(`https://${host}/.well-known/webfinger?resource=${resource}`, { subject, links });
  }

  client = {
    object: (url: string): Promise<FetchOutcome> => this.#answer(url),
    jrd: (url: string): Promise<FetchOutcome> => this.#answer(url),
  };

  async #answer(url: string): Promise<FetchOutcome> {
    this.asked.push(url);
    const answer = this.documents.get(url) ?? { kind: 'missing' };
    return 'kind' in answer ? (answer as FetchOutcome) : { kind: 'object', url, value: answer as JsonObject };
  }
}

const policies: DomainPolicies = {
  of: (domain) => (domain === 'bad.example' ? { ...NO_LIMITS, suspended: true } : NO_LIMITS),
};

async function world() {
  const here = await town(['alice']);
  const { stage } = here;
  const web = new Web();
  let minted = 100;
  const registry = new Registrar(stage.shared, stage.clock);
  const people = new People({
    tables: stage.shared,
    client: web.client,
    clock: stage.clock,
    registry,
    newAccountId: async () => makeId(stage.clock.nowMs(), minted % 4, ++minted % 64),
    askAccount: here.account,
    baseUrl: 'https://here.example',
    domain: 'here.example',
    policies,
  });
  const find = async (name: string, domain = 'far.example') => people.named(name, domain);
  return { here, web, people, find, stage };
}

test('an actor is found by its name and by its address, and is one account', async () => {
  const { web, people, find } = await world();
  web.actor('far.example', 'ann', { name: 'Ann' });
  const ann = await find('ann');
  assert.ok('id' in ann);
  assert.deepEqual([ann.username, ann.domain, ann.profile?.displayName], ['ann', 'far.example', 'Ann']);
  const fetches = web.asked.length;
  assert.deepEqual(await find('Ann'), ann);
  assert.deepEqual(await people.find('https://far.example/users/ann'), ann);
  assert.deepEqual(await people.known('https://FAR.example./users/ann'), ann);
  assert.equal(web.asked.length, fetches);
});

test('addresses may have another domain than the actor, if both agree', async () => {
  const { web, people, find } = await world();
  web.actor('social.far.example', 'ann');
  const uri = 'https://social.far.example/users/ann';
  web.finger('social.far.example', 'ann', uri, 'acct:ann@far.example');
  assert.deepEqual(await people.find(uri), { missing: 'gone' }, 'the other domain knows nothing of it');
  web.actor('social.far.example', 'bob');
  web.finger('social.far.example', 'bob', 'https://social.far.example/users/bob', 'acct:bob@far.example');
  web.finger('far.example', 'bob', 'https://social.far.example/users/bob');
  const bob = await find('bob', 'social.far.example');
  assert.equal('domain' in bob && bob.domain, 'far.example');
  web.actor('social.far.example', 'cat');
  web.finger('social.far.example', 'cat', 'https://social.far.example/users/cat', 'acct:cat@far.example');
  web.finger('far.example', 'cat', 'https://social.far.example/users/cat');
  const cat = await find('cat', 'far.example');
  assert.equal('domain' in cat && cat.domain, 'far.example');
});

test('nobody gets a name of another domain, or an account under another id', async () => {
  const { web, people, find } = await world();
  web.actor('v.example', 'vic');
  // A domain that names the actor of another one.
  web.finger('evil.example', 'vic', 'https://v.example/users/vic', 'acct:vic@v.example');
  const vic = await find('vic', 'evil.example');
  assert.equal('domain' in vic && vic.domain, 'v.example');
  // The same, under a name of its own: the actor's server does not agree, whether or not the actor is known.
  web.actor('v.example', 'val');
  web.finger('evil.example', 'val', 'https://v.example/users/val', 'acct:val@evil.example');
  assert.deepEqual(await find('val', 'evil.example'), { missing: 'refused' });
  const val = await find('val', 'v.example');
  assert.equal('domain' in val && val.domain, 'v.example');
  // An actor that claims a name of its victim's domain.
  web.actor('evil.example', 'eve');
  web.finger('evil.example', 'eve', 'https://evil.example/users/eve', 'acct:vic@v.example');
  assert.deepEqual(await people.find('https://evil.example/users/eve'), { missing: 'refused' });
  // A document that has its victim's id.
  web.documents.set('https://evil.example/users/mal', { ...web.actor('v.example', 'mal') });
  web.finger('evil.example', 'mal', 'https://evil.example/users/mal');
  assert.deepEqual(await people.find('https://evil.example/users/mal'), { missing: 'gone' });
  assert.deepEqual(await find('mal', 'evil.example'), { missing: 'gone' });
  // This server's own domain and addresses are never fetched.
  const before = web.asked.length;
  assert.deepEqual(await find('alice', 'HERE.example'), { missing: 'gone' });
  assert.deepEqual(await people.find('https://here.example/users/alice'), { missing: 'gone' });
  assert.equal(web.asked.length, before);
});

test('failures are remembered for ten minutes', async () => {
  const { web, people, stage } = await world();
  const uri = 'https://far.example/users/ann';
  assert.deepEqual(await people.find(uri), { missing: 'gone' });
  web.actor('far.example', 'ann');
  assert.deepEqual(await people.find(uri), { missing: 'gone' });
  assert.equal(web.asked.length, 1);
  await stage.clock.advance(600_001);
  assert.ok('id' in (await people.find(uri)));
});

test('one fetch at a time serves all who ask for an actor', async () => {
  const { web, people } = await world();
  web.actor('far.example', 'ann');
  const uri = 'https://far.example/users/ann';
  const all = await Promise.all([people.find(uri), people.find(uri), people.find(uri)]);
  assert.equal(new Set(all.map((one) => 'id' in one && one.id)).size, 1);
  assert.equal(web.asked.filter((one) => one === uri).length, 1);
});

test('a key is believed if its actor names it, and is fetched again once in five minutes', async () => {
  const { web, people, stage } = await world();
  const uri = 'https://far.example/users/ann';
  const key = (pem: string) => ({ publicKey: { id: `${uri}#main-key`, owner: uri, publicKeyPem: pem } });
  web.actor('far.example', 'ann', key('one'));
  const pem = async (fresh?: boolean) => {
    const found = await people.publicPem(`${uri}#main-key`, fresh === undefined ? {} : { fresh });
    return 'pem' in found ? found.pem : found.missing;
  };
  assert.equal(await pem(), 'one');
  web.actor('far.example', 'ann', key('two'));
  assert.equal(await pem(true), 'one', 'it was fetched just now');
  await stage.clock.advance(300_001);
  assert.equal(await pem(), 'one');
  assert.equal(await pem(true), 'two');
  web.actor('far.example', 'ann', key('three'));
  assert.equal(await pem(true), 'two');
  assert.deepEqual(await people.publicPem('https://far.example/users/ann#other'), { missing: 'gone' });
});

test('a key with an address of its own leads to the actor that names it', async () => {
  const { web, people } = await world();
  const uri = 'https://far.example/users/ann';
  const publicKey = { id: `${uri}/main-key`, owner: uri, publicKeyPem: 'one' };
  web.actor('far.example', 'ann', { publicKey });
  web.documents.set(`${uri}/main-key`, { id: uri, type: 'Person', publicKey });
  const found = await people.publicPem(`${uri}/main-key`);
  assert.equal('pem' in found && found.pem, 'one');
  // A key on another server that names its victim as its owner.
  web.documents.set('https://evil.example/key', { id: 'https://evil.example/key', owner: uri, publicKeyPem: 'evil' });
  assert.deepEqual(await people.publicPem('https://evil.example/key'), { missing: 'gone' });
});

test('an account that was fetched a day ago is refreshed behind the answer', async () => {
  const { web, stage, find } = await world();
  web.actor('far.example', 'ann', { name: 'Ann' });
  await find('ann');
  web.actor('far.example', 'ann', { name: 'Anna' });
  await stage.clock.advance(86_400_001);
  const before = await find('ann');
  assert.equal('profile' in before && before.profile?.displayName, 'Ann');
  await stage.clock.settle();
  const after = await find('ann');
  assert.equal('profile' in after && after.profile?.displayName, 'Anna');
});

test('an actor whose name is on a suspended server is not stored', async () => {
  const { web, people, find } = await world();
  web.actor('far.example', 'ann');
  web.finger('far.example', 'ann', 'https://far.example/users/ann', 'acct:ann@bad.example');
  web.finger('bad.example', 'ann', 'https://far.example/users/ann');
  assert.deepEqual(await find('ann'), { missing: 'refused' });
  assert.equal(await people.known('https://far.example/users/ann'), undefined);
});
