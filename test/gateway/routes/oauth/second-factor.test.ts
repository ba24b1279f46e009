import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TOTP } from 'otpauth';
import { operate } from '../../../../cli/operations.js';
import { accountOfTicket } from '../../../../gateway/oauth/factors/second-factor.js';
import { WRONG_CODES_MAX } from '../../../../gateway/oauth/guards.js';
import { Visitor } from '../../../kit/network/visitor.js';
import { TestServer } from '../../../kit/services/server.js';
import { makeApp, makeUser, PASSWORD } from '../../oauth/stage.js';

const PATH = '/settings/otp';
const STEP_MS = 30_000;
const WRONG = /This code is wrong or was used already/;

let server: TestServer;
before(async () => {
  server = await TestServer.start({ PASSWORD_GRANT: 'on', RATE_LIMITS: 'on' });
});
after(() => server?.stop());

/** Types name and password. */
async function typePassword(login: string, visitor = new Visitor(server)): Promise<Visitor> {
  await visitor.get('/auth/sign_in?return_to=/settings/preferences');
  await visitor.submit('/auth/sign_in', { login, password: PASSWORD });
  return visitor;
}

const typeCode = (visitor: Visitor, code: string) => visitor.submit('/auth/sign_in/code', { code });

/** A new person with a second factor. */
async function guarded(name: string) {
  const id = await makeUser(server, name);
  const owner = await typePassword(name);
  const { text } = await owner.get(PATH);
  assert.match(text, /<svg role="img"/);
  const secret = /<code class="out">([A-Z2-7]{32})<\/code>/.exec(text)?.[1] ?? '';
  const startMs = Date.now();
  const totp = new TOTP({ secret });
  /** Returns the code some steps after the one that turned the factor on. */
  const code = (steps: number) => totp.generate({ timestamp: startMs + steps * STEP_MS });
  const enabled = await owner.submit(PATH, { password: PASSWORD, code: code(0) });
  assert.equal(enabled.status, 200, enabled.text);
  const recovery = [...enabled.text.matchAll(/<code>([a-z2-7-]{19})<\/code>/g)].map(([, one]) => one ?? '');
  assert.equal(recovery.length, 10);
  return { id, owner, code, recovery };
}

test('a sign-in asks for a code after the password, and leads back', async () => {
  const { code } = await guarded('ada');
  const visitor = await typePassword('ada');
  assert.match(visitor.page?.text ?? '', /autocomplete="one-time-code"/);
  assert.equal(visitor.cookies.has('murmuration_session'), false, 'the password alone is not enough');
  const replayed = await typeCode(visitor, code(0));
  assert.equal(replayed.status, 422);
  assert.match(replayed.text, WRONG, 'the code that turned the factor on was used');
  for (const steps of [-4, 4]) assert.equal((await typeCode(visitor, code(steps))).status, 422, `${steps}`);
  const signed = await typeCode(visitor, ` ${code(1).slice(0, 3)} ${code(1).slice(3)} `);
  assert.deepEqual([signed.status, signed.location], [303, '/settings/preferences']);
  assert.equal((await visitor.get('/settings/preferences')).status, 200);
  const other = await typePassword('ada');
  assert.equal((await typeCode(other, code(1))).status, 422, 'somebody watched the code');
  assert.equal(other.cookies.has('murmuration_session'), false);
});

test('a recovery code takes the place of the phone once', async () => {
  const { recovery } = await guarded('ben');
  const [first = '', second = ''] = recovery;
  assert.equal((await typeCode(await typePassword('ben'), first.toUpperCase())).status, 303);
  const again = await typePassword('ben');
  assert.equal((await typeCode(again, first)).status, 422);
  assert.equal((await typeCode(again, second.replaceAll('-', ''))).status, 303);
  assert.match((await again.get(PATH)).text, /Recovery codes left: 8/);
});

test('guessing is limited, even with many tickets, and does not lock out the browser of the owner', async () => {
  const { owner, code, recovery } = await guarded('cleo');
  for (let count = 0; count < WRONG_CODES_MAX; count++)
    assert.equal((await typeCode(await typePassword('cleo'), '12345x')).status, 422);
  const attacker = await typePassword('cleo');
  assert.equal((await typeCode(attacker, code(1))).status, 429);
  assert.equal((await typeCode(attacker, recovery[0] ?? '')).status, 429);
  assert.equal(attacker.cookies.has('murmuration_session'), false);
  await owner.get('/auth/sign_in');
  await owner.submit('/auth/sign_out', {});
  await typePassword('cleo', owner);
  assert.equal((await typeCode(owner, code(1))).status, 303);
});

test('a forged, foreign or old ticket is refused', async () => {
  const { code, id } = await guarded('dora');
  const visitor = await typePassword('dora');
  const fields: Record<string, string> = { ...visitor.hidden('/auth/sign_in/code'), code: code(1) };
  for (const ticket of ['', 'x', `${id}.${'A'.repeat(22)}.${'A'.repeat(43)}`])
    assert.equal((await visitor.post('/auth/sign_in/code', { ...fields, ticket })).status, 403, ticket);
  assert.equal((await visitor.post('/auth/sign_in/code', { ...fields, csrf: 'guessed' })).status, 403);
  assert.equal((await new Visitor(server).post('/auth/sign_in/code', fields)).status, 403, 'another browser');
  const { services } = server.node;
  const late = { ...services.clock, nowMs: () => services.clock.nowMs() + 600_000 };
  assert.equal(accountOfTicket(services, fields.ticket ?? ''), id);
  assert.equal(accountOfTicket({ ...services, clock: late }, fields.ticket ?? ''), undefined);
  const away = await visitor.post('/auth/sign_in/code', { ...fields, return_to: '//evil.example/' });
  assert.deepEqual([away.status, away.location], [303, '/web'], 'an address of another server is ignored');
});

test('the password grant is no way around a second factor', async () => {
  const app = await makeApp(server);
  const grant = { ...app, grant_type: 'password', password: PASSWORD, scope: 'read' };
  await makeUser(server, 'free');
  assert.equal((await server.ask('POST', '/oauth/token', { ...grant, username: 'free' })).status, 200);
  await guarded('emil');
  const refused = await server.ask('POST', '/oauth/token', { ...grant, username: 'emil' });
  assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_grant']);
});

test('it is turned on and off with the password and a code alone', async () => {
  await makeUser(server, 'finn');
  const owner = await typePassword('finn');
  await owner.get(PATH);
  const { token } = owner.hidden(PATH);
  const wrong = await owner.submit(PATH, { password: PASSWORD, code: '000000' });
  assert.equal(wrong.status, 422);
  assert.equal(owner.hidden(PATH).token, token, 'the picture stays the same');
  assert.equal((await owner.submit(PATH, { password: 'wrong password', code: '000000' })).status, 422);
  assert.equal((await owner.submit(PATH, { token: 'forged', password: PASSWORD, code: '000000' })).status, 422);
  const { owner: gina, recovery } = await guarded('gina');
  await gina.get(PATH);
  assert.equal((await gina.submit(`${PATH}/disable`, { password: PASSWORD, code: '' })).status, 422);
  assert.equal((await gina.submit(`${PATH}/disable`, { password: 'wrong', code: recovery[0] ?? '' })).status, 422);
  const off = await gina.submit(`${PATH}/disable`, { password: PASSWORD, code: recovery[0] ?? '' });
  assert.equal(off.location, `${PATH}?disabled=true`);
  assert.match((await gina.get(`${PATH}?disabled=true`)).text, /The second factor is off/);
  assert.equal((await typePassword('gina')).cookies.has('murmuration_session'), true);
});

test('an operator removes a lost second factor, and the password still counts', async () => {
  await guarded('hilda');
  const end = (username: string) => operate(server.node, 'account.endSecondFactor', { username }, () => undefined);
  await assert.rejects(end('nobody'), /there is no account nobody/);
  assert.deepEqual([await end('Hilda'), await end('hilda')], [{ ended: true }, { ended: false }]);
  const visitor = new Visitor(server);
  await visitor.get('/auth/sign_in');
  const wrong = await visitor.submit('/auth/sign_in', { login: 'hilda', password: 'wrong password' });
  assert.equal(wrong.status, 422);
  assert.equal((await typePassword('hilda')).cookies.has('murmuration_session'), true);
});
