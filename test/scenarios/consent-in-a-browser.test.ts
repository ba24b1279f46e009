import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../kit/services/chromium.js';
import { ServerProcess } from '../kit/services/server-process.js';
import { makePeople, type Person } from './cluster/people.js';

/** Timeout of a step: our pages take milliseconds, a cold browser on a busy machine longer. */
const STEP_MS_MAX = 120_000;
const VERIFIER = 'a-verifier-of-more-than-forty-three-characters-in-all';
const STATE = 'a state & more';
/** A name that must appear as text and not be markup. */
const APP_NAME = 'Feather <b>& "sons"</b>';

let server: ServerProcess;
let client: Server;
let clientUrl: string;
let browser: Browser;
let ada: Person;
let app: { readonly client_id: string; readonly client_secret: string };

before(async () => {
  server = await ServerProcess.start();
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
  client = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(request.url === '/foreign' ? foreignPage() : '<!doctype html><title>back at the client</title>');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => client.once('listening', resolve));
  clientUrl = `http://127.0.0.1:${(client.address() as AddressInfo).port}`;
  app = await post('/api/v1/apps', {
    client_name: APP_NAME,
    website: 'https://feather.example',
    redirect_uris: `${clientUrl}/callback`,
    scopes: 'read write follow',
  });
  browser = await launchChromium(STEP_MS_MAX);
});
after(async () => {
  await browser?.close();
  client?.close();
  await server?.dispose();
});

async function post<T>(path: string, body: Readonly<Record<string, string>>): Promise<T> {
  const answer = await fetch(`${server.url}${path}`, { method: 'POST', body: new URLSearchParams(body) });
  assert.equal(answer.status, 200);
  return (await answer.json()) as T;
}

function authorizeUrl(): string {
  const query = {
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: `${clientUrl}/callback`,
    scope: 'read write:statuses follow',
    state: STATE,
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  };
  return `${server.url}/oauth/authorize?${new URLSearchParams(query)}`;
}

/** Returns a foreign page that submits a form in the visitor's name. */
function foreignPage(): string {
  const fields = [...new URL(authorizeUrl()).searchParams, ['decision', 'authorize'], ['csrf', 'guessed']] as const;
  const inputs = fields.map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`);
  return `<!doctype html><form method="post" action="${server.url}/oauth/authorize">${inputs.join('')}<button>Win!</button></form>`;
}

/** Opens a new browser context; collects its errors (a policy that blocks our own page, a missing file). */
async function visit(
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<{ page: Page; complaints: string[] }> {
  const page = await (await browser.newContext(options)).newPage();
  page.setDefaultTimeout(STEP_MS_MAX);
  const complaints: string[] = [];
  page.on('console', (message) => {
    // Ignores the icon that browsers request by themselves, and intended refusals.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, complaints };
}

async function signIn(page: Page, password = ada.password): Promise<void> {
  await page.getByLabel('E-mail address or username').fill(ada.email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Saves a screenshot if SCREENSHOTS names a folder. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

test('a visitor signs in, agrees, and is back at the client with a code that gives a token', async () => {
  const { page, complaints } = await visit();
  await page.goto(authorizeUrl());
  await shoot(page, 'sign-in');
  await signIn(page, 'not the password');
  await page.getByRole('alert').waitFor();
  await shoot(page, 'sign-in-refused');
  await signIn(page);
  await page.getByRole('button', { name: 'Authorize' }).waitFor();
  await shoot(page, 'consent');
  const shown = await page.getByRole('main').textContent();
  assert.ok(shown?.includes(APP_NAME), shown ?? '');
  assert.ok(shown?.includes('@ada'), shown ?? '');
  assert.ok(shown?.includes('write:statuses'), shown ?? '');
  await page.getByRole('button', { name: 'Authorize' }).click();
  await page.waitForURL((url) => url.origin === clientUrl);
  const back = new URL(page.url());
  assert.equal(back.pathname, '/callback');
  assert.equal(back.searchParams.get('state'), STATE);
  const token = await post<{ access_token: string; scope: string }>('/oauth/token', {
    ...app,
    grant_type: 'authorization_code',
    code: back.searchParams.get('code') ?? '',
    redirect_uri: `${clientUrl}/callback`,
    code_verifier: VERIFIER,
  });
  assert.equal(token.scope, 'read write:statuses follow');
  const headers = { authorization: `Bearer ${token.access_token}` };
  const self = await fetch(`${server.url}/api/v1/accounts/verify_credentials`, { headers });
  assert.equal(((await self.json()) as { username: string }).username, 'ada');
  assert.deepEqual(complaints, []);
});

test('a signed-in user is asked at once, may deny, and may switch accounts', async () => {
  const { page, complaints } = await visit();
  await page.goto(authorizeUrl());
  await signIn(page);
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.waitForURL((url) => url.origin === clientUrl);
  assert.equal(new URL(page.url()).searchParams.get('error'), 'access_denied');
  await page.goto(authorizeUrl());
  await page.getByRole('button', { name: 'Use another account' }).click();
  await page.getByLabel('Password').waitFor();
  await signIn(page);
  await page.getByRole('button', { name: 'Authorize' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('another site’s form does nothing in the name of a signed-in user', async () => {
  // Another site, and another port of ours, to which the browser does send our cookies.
  for (const origin of [clientUrl.replace('127.0.0.1', 'localhost'), clientUrl]) {
    const { page } = await visit();
    await page.goto(authorizeUrl());
    await signIn(page);
    await page.getByRole('button', { name: 'Authorize' }).waitFor();
    await page.goto(`${origin}/foreign`);
    const answered = page.waitForResponse((response) => response.url() === `${server.url}/oauth/authorize`);
    await page.getByRole('button', { name: 'Win!' }).click();
    assert.equal((await answered).status(), 403);
    await page.getByRole('alert').waitFor();
    assert.equal(new URL(page.url()).origin, server.url);
  }
});

test('the pages fit a telephone, by day and by night', async () => {
  const { page } = await visit({ viewport: { width: 320, height: 640 }, colorScheme: 'dark' });
  const overflow = () => page.evaluate('document.documentElement.scrollWidth - innerWidth');
  await page.goto(authorizeUrl());
  await shoot(page, 'sign-in-dark');
  assert.ok(Number(await overflow()) <= 0);
  const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
  assert.notEqual(ground, 'rgba(0, 0, 0, 0)', 'the style sheet was loaded');
  await signIn(page);
  await page.getByRole('button', { name: 'Authorize' }).waitFor();
  await shoot(page, 'consent-dark');
  assert.ok(Number(await overflow()) <= 0);
});
