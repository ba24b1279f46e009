import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SoftPasskey, type Untrue } from '../../../kit/network/soft-passkey.js';
import { Visitor } from '../../../kit/network/visitor.js';
import { TestServer } from '../../../kit/services/server.js';
import { makeUser, PASSWORD, signedIn } from '../../oauth/stage.js';

const PATH = '/settings/passkeys';
const SIGN_IN = '/auth/sign_in/passkey';
const WRONG = /This passkey does not fit/;
const ORIGIN = 'http://localhost';

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server?.stop());

/** Returns the options in the page, as its script reads them. */
function optionsIn(text: string) {
  const [, json = '{}'] = /data-options="([^"]*)"/.exec(text) ?? [];
  return JSON.parse(json.replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
}

/** A new person with a passkey. */
async function guarded(name: string) {
  const id = await makeUser(server, name);
  const owner = await signedIn(server, name);
  const passkey = new SoftPasskey(ORIGIN);
  const answer = passkey.create(optionsIn((await owner.get(PATH)).text));
  const added = await owner.submit(PATH, { name: `Key of ${name}`, password: PASSWORD, answer });
  assert.deepEqual([added.status, added.location], [303, PATH], added.text);
  return { id, owner, passkey };
}

/** A browser that has opened the page of the sign-in, and the options that it got. */
async function visiting(path = '/auth/sign_in') {
  const visitor = new Visitor(server, { accept: 'text/html' });
  return { visitor, options: optionsIn((await visitor.get(path)).text) };
}

async function use(passkey: SoftPasskey, untrue?: Untrue) {
  const { visitor, options } = await visiting();
  return visitor.submit(SIGN_IN, { answer: passkey.get(options, untrue) });
}

test('a passkey signs its owner in, without a name or a code, and leads back', async () => {
  const { owner, passkey } = await guarded('ada');
  const { visitor, options } = await visiting('/auth/sign_in?return_to=/settings/profile');
  const entered = await visitor.submit(SIGN_IN, { answer: passkey.get(options) });
  assert.deepEqual([entered.status, entered.location], [303, '/settings/profile'], entered.text);
  assert.match((await visitor.get('/settings/profile')).text, /Sign out \(@ada\)/);
  assert.match((await owner.get(PATH)).text, /Key of ada.*Last used on/s);
});

test('an answer signs in once, only in the browser that was asked, and not after ten minutes', async () => {
  const { passkey } = await guarded('ben');
  const { visitor, options } = await visiting();
  const answer = passkey.get(options, { counter: 0 });
  const other = await visiting();
  assert.equal((await other.visitor.submit(SIGN_IN, { answer })).status, 422, 'another browser');
  const fields = { ...visitor.hidden(SIGN_IN), answer };
  assert.equal((await visitor.post(SIGN_IN, fields)).status, 303);
  const again = await visitor.post(SIGN_IN, fields);
  assert.equal(again.status, 422, 'the answer was used');
  assert.match(again.text, WRONG);
  assert.equal((await use(passkey)).status, 303, 'a later answer');
});

test('forged, foreign and unverified answers are refused alike', async () => {
  const { id, passkey } = await guarded('cleo');
  for (const untrue of [
    { origin: 'https://evil.example' },
    { host: 'evil.example' },
    { isVerified: false },
  ] satisfies Untrue[]) {
    const refused = await use(passkey, untrue);
    assert.equal(refused.status, 422, JSON.stringify(untrue));
    assert.match(refused.text, WRONG);
  }
  const copy = new SoftPasskey(ORIGIN);
  const { visitor, options } = await visiting();
  const stolen = JSON.parse(passkey.get(options));
  const forged = JSON.parse(copy.get(options));
  const byCopy = { ...stolen, response: { ...stolen.response, signature: forged.response.signature } };
  for (const answer of [
    ...['', '{', '[]', 'null', '{"response":null}', '{"response":{"userHandle":7}}', 'x'.repeat(16_000)],
    JSON.stringify(byCopy),
    JSON.stringify({ ...stolen, id: 'x', rawId: 'x' }),
    JSON.stringify({
      ...stolen,
      response: { ...stolen.response, userHandle: Buffer.from('12345').toString('base64url') },
    }),
    JSON.stringify({ id: passkey.id, response: { userHandle: Buffer.from(id).toString('base64url') } }),
  ])
    assert.equal((await visitor.submit(SIGN_IN, { answer })).status, 422, answer.slice(0, 80));
  assert.equal(visitor.cookies.has('murmuration_session'), false);
  assert.equal((await visitor.post(SIGN_IN, { answer: JSON.stringify(stolen), csrf: 'guessed' })).status, 403);
});

test('a copied security key, whose count goes back, is refused', async () => {
  const { passkey } = await guarded('dora');
  assert.equal((await use(passkey, { counter: 5 })).status, 303);
  assert.equal((await use(passkey, { counter: 5 })).status, 422);
  assert.equal((await use(passkey, { counter: 6 })).status, 303);
});

test('a passkey is added with the consent of its device only, and removed by its owner', async () => {
  const { owner, passkey } = await guarded('emil');
  const { text } = await owner.get(PATH);
  const options = optionsIn(text);
  assert.deepEqual(options.excludeCredentials, [{ type: 'public-key', id: passkey.id }]);
  for (const untrue of [
    { origin: 'https://evil.example' },
    { host: 'evil.example' },
    { isVerified: false },
    { format: 'packed' },
    { format: 'android-safetynet' },
  ] satisfies Untrue[]) {
    const answer = new SoftPasskey(ORIGIN).create(options, untrue);
    const refused = await owner.submit(PATH, { name: '<b>"kept"', password: PASSWORD, answer });
    assert.equal(refused.status, 422, JSON.stringify(untrue));
    assert.match(refused.text, WRONG);
    assert.ok(refused.text.includes('value="&lt;b>&quot;kept&quot;"'), refused.text);
  }
  const guess = await owner.submit(PATH, {
    name: 'x',
    password: 'guessed',
    answer: new SoftPasskey(ORIGIN).create(options),
  });
  assert.equal(guess.status, 422, 'a browser that was left open adds none');
  const stranger = (await guarded('fred')).owner;
  const foreign = await stranger.submit(PATH, {
    name: 'x',
    password: PASSWORD,
    answer: new SoftPasskey(ORIGIN).create(options),
  });
  assert.equal(foreign.status, 403, 'the form of another page');
  await stranger.get(PATH);
  const challenge = await stranger.submit(PATH, {
    name: 'x',
    password: PASSWORD,
    answer: new SoftPasskey(ORIGIN).create(options),
  });
  assert.equal(challenge.status, 422, 'the challenge of another person');
  await stranger.get(PATH);
  await stranger.submit(`${PATH}/remove`, { id: passkey.id });
  assert.equal((await use(passkey)).status, 303, 'a stranger removes nothing');
  await owner.get(PATH);
  assert.equal((await owner.submit(`${PATH}/remove`, { id: passkey.id })).status, 303);
  assert.match((await owner.get(PATH)).text, /You have no passkey yet/);
  assert.equal((await use(passkey)).status, 422);
});

test('a disabled account gets no session, and the page says why', async () => {
  const { id, passkey } = await guarded('gwen');
  await server.node.services.askAccount(id, 'moderate', { action: 'disable', by: '7', text: '', mail: false });
  const refused = await use(passkey);
  assert.equal(refused.status, 403);
  assert.match(refused.text, /disabled/);
  assert.equal(
    refused.headers.getSetCookie().some((one) => one.startsWith('murmuration_session')),
    false,
  );
});
