import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '../../kit/services/chromium.js';
import { ServerProcess } from '../../kit/services/server-process.js';
import { makePeople, type Person } from '../cluster/people.js';
import { CALLBACK_PAGE, clientPage, type Outcome } from './popup-client.js';

/** Timeout of a step: the pages take milliseconds, a cold browser on a busy machine takes longer. */
const STEP_MS_MAX = 120_000;

let server: ServerProcess;
let client: Server;
/** Another site than the server's: the names of the hosts differ, too. */
let clientUrl: string;
let browser: Browser;
let ada: Person;

before(async () => {
  server = await ServerProcess.start();
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
  client = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(pathname === '/callback' ? CALLBACK_PAGE : clientPage(server.url));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => client.once('listening', resolve));
  clientUrl = `http://localhost:${(client.address() as AddressInfo).port}`;
  browser = await launchChromium(STEP_MS_MAX);
});
after(async () => {
  await browser?.close();
  client?.close();
  await server?.dispose();
});

/** Opens the client in a new browser; collects errors of all its windows. */
async function visit(): Promise<{ context: BrowserContext; page: Page; complaints: string[] }> {
  const context = await browser.newContext();
  context.setDefaultTimeout(STEP_MS_MAX);
  const complaints: string[] = [];
  context.on('weberror', (error) => complaints.push(error.error().message));
  context.on('console', (message) => {
    // Ignores intended refusals.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) complaints.push(message.text());
  });
  const page = await context.newPage();
  await page.goto(clientUrl);
  return { context, page, complaints };
}

/** Lets the client open the popup, as a click of a person does. */
async function openPopup({ context, page }: { context: BrowserContext; page: Page }, button: string): Promise<Page> {
  const opened = context.waitForEvent('page');
  await page.getByRole('button', { name: button }).click();
  return opened;
}

async function signIn(popup: Page, password = ada.password): Promise<void> {
  await popup.getByLabel('E-mail address or username').fill(ada.email);
  await popup.getByLabel('Password').fill(password);
  await popup.getByRole('button', { name: 'Sign in' }).click();
}

/** Returns the outcome that the client shows after it has received the code and posted. */
async function outcomeOf(page: Page): Promise<Outcome> {
  const shown = page.locator('output:not(:empty)');
  await shown.waitFor();
  return JSON.parse((await shown.textContent()) ?? '') as Outcome;
}

/** Asserts that anybody finds the status that the client says it has posted. */
async function assertPosted({ status }: Outcome, text: string): Promise<void> {
  const found = await fetch(`${server.url}/api/v1/statuses/${status?.id}`);
  assert.equal(found.status, 200);
  const { content, account } = (await found.json()) as { content: string; account: { username: string } };
  assert.equal(content, `<p>${text}</p>`);
  assert.equal(account.username, 'ada');
}

test('a popup of a page on another site ends with a token that posts', async () => {
  const visited = await visit();
  const popup = await openPopup(visited, 'Sign in as a person');
  await signIn(popup, 'not the password');
  await popup.getByRole('alert').waitFor();
  await signIn(popup);
  const closed = popup.waitForEvent('close');
  await popup.getByRole('button', { name: 'Authorize' }).click();
  await closed;
  const outcome = await outcomeOf(visited.page);
  assert.equal(outcome.fault, undefined);
  assert.equal(outcome.scope, 'read write');
  await assertPosted(outcome, 'posted by the page that opened the popup');
  assert.deepEqual(visited.complaints, []);
});

test('a client that asks for admin scopes signs in an ordinary person, whose token posts and may not administer', async () => {
  const visited = await visit();
  const popup = await openPopup(visited, 'Sign in as an administrator');
  await signIn(popup);
  await popup.getByRole('button', { name: 'Authorize' }).waitFor();
  assert.doesNotMatch((await popup.getByRole('main').textContent()) ?? '', /admin/);
  await popup.getByRole('button', { name: 'Authorize' }).click();
  const outcome = await outcomeOf(visited.page);
  assert.equal(outcome.fault, undefined);
  assert.equal(outcome.scope, 'read write');
  assert.equal(outcome.administration, 403);
  await assertPosted(outcome, 'posted by the page that opened the popup');
  assert.deepEqual(visited.complaints, []);
});

test('a person who denies in a popup is back at the client without a code', async () => {
  const visited = await visit();
  const popup = await openPopup(visited, 'Sign in as a person');
  await signIn(popup);
  await popup.getByRole('button', { name: 'Deny' }).click();
  assert.equal((await outcomeOf(visited.page)).fault, 'access_denied');
});

test('another site that opens any other page of the server has no hold on its window', async () => {
  const { context, page } = await visit();
  const popup = await openPopup({ context, page }, 'Sign in as a person');
  await signIn(popup);
  await popup.getByRole('button', { name: 'Authorize' }).waitFor();
  await popup.goto(`${server.url}/settings/profile`);
  assert.equal(await popup.evaluate('opener === null'), true);
  await page.waitForFunction('opened.closed');
  await page.evaluate('opened.location = "about:blank"');
  await popup.reload();
  assert.equal(new URL(popup.url()).pathname, '/settings/profile');
});
