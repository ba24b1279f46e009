import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { sameDayFor } from '../../../kit/time/same-day.js';

let server: TestServer;
let admin: Person;
let mod: Person;
let appToken = '';
before(async () => {
  await sameDayFor(60_000);
  server = await TestServer.start();
  admin = await server.staff('chief', 'admin');
  mod = await server.staff('mod', 'moderator');
  const app = { client_name: 'app', redirect_uris: 'https://example.org/', scopes: 'read write' };
  const { client_id, client_secret } = (await server.ask('POST', '/api/v1/apps', app)).body;
  const wanted = { client_id, client_secret, grant_type: 'client_credentials', scope: 'read write' };
  appToken = (await server.ask('POST', '/oauth/token', wanted)).body.access_token;
});
after(() => server?.stop());

let signedUp = 0;
function signUp(email: string) {
  const body = { username: `new_${++signedUp}`, email, password: 'correct horse battery', agreement: true };
  return server.ask('POST', '/api/v1/accounts', body, appToken);
}

test('blocked and allowed domains are created, found, changed, paged and removed', async () => {
  const path = '/api/v1/admin/domain_blocks';
  const made = await admin.post(path, { domain: 'Bad.Example.', severity: 'suspend', private_comment: 'spam' });
  assert.deepEqual([made.status, made.body.domain, made.body.severity], [200, 'bad.example', 'suspend']);
  assert.equal((await admin.post(path, { domain: 'bad.example' })).status, 422);
  assert.equal((await admin.post(path, { domain: 'no domain' })).status, 422);
  assert.equal((await admin.post(path, { domain: 'x.example', severity: 'burn' })).status, 422);
  const changed = (await admin.put(`${path}/${made.body.id}`, { obfuscate: true })).body;
  assert.deepEqual([changed.severity, changed.obfuscate, changed.private_comment], ['suspend', true, 'spam']);
  await admin.post(path, { domain: 'other.example' });
  const first = await admin.get(`${path}?limit=1`);
  assert.deepEqual([first.body.length, first.body[0].domain], [1, 'other.example']);
  assert.match(first.headers.get('link') ?? '', /rel="next"/);
  assert.equal((await admin.get(`${path}/${made.body.id}`)).body.domain, 'bad.example');
  assert.equal((await admin.remove(`${path}/${made.body.id}`)).status, 200);
  assert.equal((await admin.get(`${path}/${made.body.id}`)).status, 404);
  const allow = (await admin.post('/api/v1/admin/domain_allows', { domain: 'good.example' })).body;
  assert.equal((await admin.post('/api/v1/admin/domain_allows', { domain: 'good.example' })).body.id, allow.id);
  assert.equal((await mod.get(path)).status, 403, 'moderators keep no domains');
});

test('an e-mail address of a blocked provider, in any spelling, cannot sign up', async () => {
  await admin.post('/api/v1/admin/email_domain_blocks', { domain: 'trash.example' });
  for (const email of ['a@trash.example', 'b@mx.trash.example', 'C@TRASH.EXAMPLE']) {
    const refused = await signUp(email);
    assert.deepEqual([refused.status, refused.body.details.email[0].error], [422, 'ERR_BLOCKED'], email);
  }
  assert.equal((await signUp('a@nottrash.example')).status, 200);
  const path = '/api/v1/admin/canonical_email_blocks';
  const block = (await admin.post(path, { email: 'Some.One+x@example.net' })).body;
  assert.equal((await signUp('someone+y@example.net')).status, 422);
  assert.equal((await admin.post(`${path}/test`, { email: 's.o.m.e.o.n.e@example.net' })).body[0].id, block.id);
  assert.deepEqual((await admin.post(`${path}/test`, { email: 'else@example.net' })).body, []);
  assert.equal((await admin.post(path, {})).status, 422);
  await admin.remove(`${path}/${block.id}`);
  assert.equal((await signUp('someone+y@example.net')).status, 200);
});

test('a blocked address cannot sign up, or waits for approval, until the block ends', async () => {
  const path = '/api/v1/admin/ip_blocks';
  const block = (await admin.post(path, { ip: '127.0.0.1/8', severity: 'sign_up_block' })).body;
  assert.deepEqual([block.ip, block.expires_at], ['127.0.0.0/8', null]);
  assert.equal((await signUp('ip1@example.org')).status, 403);
  await admin.put(`${path}/${block.id}`, { severity: 'sign_up_requires_approval' });
  const { access_token } = (await signUp('ip2@example.org')).body;
  assert.ok(access_token);
  const waiting = (await admin.get('/api/v1/admin/accounts?pending=true')).body;
  assert.deepEqual([waiting.length, waiting[0].email, waiting[0].ip], [1, 'ip2@example.org', '127.0.0.1']);
  assert.equal((await admin.post(`/api/v1/admin/accounts/${waiting[0].id}/approve`)).body.approved, true);
  await signUp('ip3@example.org');
  const [next] = (await admin.get('/api/v2/admin/accounts?status=pending')).body;
  assert.equal((await admin.post(`/api/v1/admin/accounts/${next.id}/reject`)).status, 200);
  assert.equal((await admin.get(`/api/v1/admin/accounts/${next.id}`)).status, 404);
  await admin.put(`${path}/${block.id}`, { severity: 'sign_up_block', expires_in: 0 });
  assert.equal(
    (await signUp('ip3@example.org')).status,
    200,
    'the address of who was rejected is free, and the block is over',
  );
  assert.equal((await admin.post(path, { ip: 'nowhere', severity: 'no_access' })).status, 422);
});

test('each entry is found by its id, changed if possible, and gone after its removal', async () => {
  const made = async (path: string, body: object) => (await admin.post(`/api/v1/admin/${path}`, body)).body.id;
  const allow = await made('domain_allows', { domain: 'one.example' });
  const domain = await made('domain_blocks', { domain: 'two.example' });
  const provider = await made('email_domain_blocks', { domain: 'three.example' });
  const address = await made('ip_blocks', { ip: '10.1.1.1', severity: 'no_access' });
  const email = await made('canonical_email_blocks', { email: 'four@example.org' });
  const paths = [
    `/api/v1/admin/domain_allows/${allow}`,
    `/api/v1/admin/domain_blocks/${domain}`,
    `/api/v1/admin/email_domain_blocks/${provider}`,
    `/api/v1/admin/ip_blocks/${address}`,
    `/api/v1/admin/canonical_email_blocks/${email}`,
  ];
  for (const path of paths) {
    assert.equal((await admin.get(path)).status, 200, path);
    assert.equal((await admin.remove(path)).status, 200, path);
    assert.equal((await admin.get(path)).status, 404, path);
    assert.equal((await admin.remove(path)).status, 404, path);
  }
});

test('a blocked provider shows its refusals by day, and from how many addresses', async () => {
  const path = '/api/v1/admin/email_domain_blocks';
  const block = (await admin.post(path, { domain: 'spam.example' })).body;
  assert.equal(block.history.length, 7);
  assert.deepEqual(block.history[0], {
    day: String(Math.floor(Date.now() / 86_400_000) * 86_400),
    uses: '0',
    accounts: '0',
  });
  const from = (address: string, email: string) => {
    const body = { username: `new_${++signedUp}`, email, password: 'correct horse battery', agreement: true };
    return server.ask('POST', '/api/v1/accounts', body, appToken, { 'x-forwarded-for': address });
  };
  for (const address of ['203.0.113.1', '203.0.113.1', '203.0.113.2'])
    assert.equal((await from(address, 'a@mx.spam.example')).status, 422);
  assert.equal((await from('203.0.113.3', 'b@ham.example')).status, 200);
  const { history } = (await admin.get(`${path}/${block.id}`)).body;
  assert.deepEqual([history[0].uses, history[0].accounts, history[1].uses], ['3', '2', '0']);
  const listed = (await admin.get(path)).body.find(({ id }: { id: string }) => id === block.id);
  assert.deepEqual(listed.history, history);
});
