import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { operatorClient } from '../../../cli/operator-socket.js';
import { launchChromium } from '../../kit/services/chromium.js';
import { ServerProcess } from '../../kit/services/server-process.js';
import { until } from '../../kit/time/until.js';
import { call, makePeople, type Person } from '../cluster/people.js';
import { reloadUntil, STEP_MS_MAX, signIn } from './steps.js';

let server: ServerProcess;
let browser: Browser;
let ann: Person;
let ben: Person;
/** Approves followers. */
let cid: Person;
before(async () => {
  server = await ServerProcess.start();
  browser = await launchChromium(STEP_MS_MAX);
  [ann, ben, cid] = (await makePeople(server.dataDir, ['ann', 'ben', 'cid'])) as [Person, Person, Person];
  await as(ann, 'POST', `/api/v1/accounts/${ben.id}/follow`);
  await say('the first post');
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});
after(async () => {
  await browser?.close();
  await server?.dispose();
});

const as = (person: Person, method: string, path: string, body?: object) =>
  call(server.url, person, method, path, body) as Promise<{ readonly id: string }>;
const say = async (status: string): Promise<string> => (await as(ben, 'POST', '/api/v1/statuses', { status })).id;

/** Opens home as ann; a complaint of the browser or its policy fails the test. */
async function home(javaScriptEnabled: boolean, faults: string[]): Promise<Page> {
  const page = await (await browser.newContext({ javaScriptEnabled })).newPage();
  page.setDefaultTimeout(STEP_MS_MAX);
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) faults.push(message.text());
  });
  await page.goto(`${server.url}/web`);
  await signIn(page, ann);
  await page.getByLabel('What is new?').waitFor();
  return page;
}

/** Returns a promise, and what resolves it. */
function holding(): { readonly held: Promise<void>; readonly release: () => void } {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { held, release: () => release() };
}

const post = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text });

test('a new post waits behind a button, an edit shows at once, and a deleted post goes', async () => {
  const faults: string[] = [];
  const page = await home(true, faults);
  const id = await say('news of today');
  await page.getByRole('button', { name: '1 new post' }).waitFor();
  await say('more news');
  await page.getByRole('button', { name: '2 new posts' }).click();
  await post(page, 'news of today').waitFor();
  assert.equal(await page.getByRole('button', { name: /new post/ }).count(), 0);
  assert.match((await page.getByRole('article').first().textContent()) ?? '', /more news/);
  await as(ben, 'PUT', `/api/v1/statuses/${id}`, { status: 'news of tomorrow' });
  await post(page, 'news of tomorrow').waitFor();
  await as(ben, 'DELETE', `/api/v1/statuses/${id}`);
  await post(page, 'news of tomorrow').waitFor({ state: 'detached' });
  assert.deepEqual(faults, []);
});

test('a post that comes before the stream is open waits behind the button', async () => {
  const faults: string[] = [];
  const page = await home(true, faults);
  const { held, release } = holding();
  await page.route('**/web/streaming*', async (route) => {
    await held;
    await route.continue();
  });
  await page.reload();
  await say('news of a slow line');
  release();
  await page.getByRole('button', { name: '1 new post' }).waitFor();
  assert.deepEqual(faults, []);
});

test('a button answers before the server does, and takes it back if the server refuses', async () => {
  const faults: string[] = [];
  const id = await say('please like this');
  const page = await home(true, faults);
  await reloadUntil(page, post(page, 'please like this'));
  const favourite = post(page, 'please like this').getByRole('button', { name: /Favourite/ });
  const { held, release } = holding();
  await page.route('**/favourite', async (route) => {
    await held;
    await route.fulfill({ status: 422, json: { error: 'You may not' } });
  });
  await favourite.click();
  const pressed = post(page, 'please like this').locator('button[aria-pressed=true]');
  await pressed.waitFor();
  assert.match((await pressed.textContent()) ?? '', /1/);
  release();
  await page.getByText('You may not').waitFor();
  assert.equal(await pressed.count(), 0);
  await page.unroute('**/favourite');
  await favourite.click();
  await page.getByText('You may not').waitFor({ state: 'detached' });
  await marked(id, 'favourited', true);
  await favourite.click();
  await marked(id, 'favourited', false);
  for (const [name, field] of [
    [/Boost/, 'reblogged'],
    [/Bookmark/, 'bookmarked'],
  ] as const) {
    await post(page, 'please like this').getByRole('button', { name }).click();
    await marked(id, field, true);
  }
  assert.equal(new URL(page.url()).pathname, '/web', 'no page was loaded');
  assert.deepEqual(faults, []);
});

async function marked(id: string, field: string, wanted: boolean): Promise<void> {
  const isMarked = async () => {
    const status = (await as(ann, 'GET', `/api/v1/statuses/${id}`)) as unknown as Readonly<Record<string, unknown>>;
    return status[field] === wanted;
  };
  await until(`${field} is ${wanted}`, isMarked, STEP_MS_MAX);
}

test('a button that is pressed again before the answer is undone after it', async () => {
  const faults: string[] = [];
  const id = await say('do I like this?');
  const page = await home(true, faults);
  await reloadUntil(page, post(page, 'do I like this?'));
  const favourite = post(page, 'do I like this?').getByRole('button', { name: /Favourite/ });
  const { held, release } = holding();
  await page.route('**/favourite', async (route) => {
    await held;
    await as(ann, 'POST', `/api/v1/statuses/${id}/favourite`);
    await route.fulfill({ json: {} });
  });
  const undone = page.waitForRequest((request) => request.url().endsWith('/unfavourite'));
  await favourite.click();
  await favourite.and(page.locator('[aria-pressed=true]')).waitFor();
  await favourite.click();
  await favourite.and(page.locator('[aria-pressed=false]')).waitFor();
  release();
  await undone;
  await marked(id, 'favourited', false);
  assert.equal(await favourite.getAttribute('aria-pressed'), 'false');
  assert.deepEqual(faults, []);
});

test('a follow shows at once, and becomes a request if the person has to approve it', async () => {
  const faults: string[] = [];
  await as(ann, 'POST', `/api/v1/accounts/${cid.id}/follow`);
  await as(cid, 'PATCH', '/api/v1/accounts/update_credentials', { locked: true });
  const page = await home(true, faults);
  await page.goto(`${server.url}/web/people/${cid.id}`);
  await page.getByRole('button', { name: 'Unfollow' }).click();
  await page.getByRole('button', { name: 'Follow', exact: true }).click();
  await page.getByRole('button', { name: 'Withdraw request' }).waitFor();
  assert.deepEqual(faults, []);
});

test('the number of unread notifications rises by itself, and ends with a look at them', async () => {
  const faults: string[] = [];
  const page = await home(true, faults);
  await say('@ann are you there?');
  const unread = page.locator('#unread');
  await unread.waitFor();
  assert.equal(await unread.textContent(), '1');
  const read = page.waitForResponse((response) => response.url().endsWith('/web/notifications/read'));
  await page.getByRole('link', { name: /Notifications/ }).click();
  await read;
  await unread.waitFor({ state: 'hidden' });
  await page.goto(`${server.url}/web`);
  assert.equal(await unread.isVisible(), false);
  assert.deepEqual(faults, []);
});

test('without JavaScript all buttons work, and nothing of the script shows', async () => {
  const faults: string[] = [];
  const id = await say('@ann please keep this');
  const page = await home(false, faults);
  await reloadUntil(page, page.locator('#unread'));
  await reloadUntil(page, post(page, 'please keep this'));
  assert.equal(await page.locator('#unread').textContent(), '1');
  await post(page, 'please keep this').getByRole('button', { name: 'Bookmark' }).click();
  await post(page, 'please keep this').locator('button[aria-pressed=true]').waitFor();
  await marked(id, 'bookmarked', true);
  await page.getByRole('link', { name: /Notifications/ }).click();
  await page.getByRole('button', { name: 'Mark as read' }).click();
  await page.getByRole('button', { name: 'Mark as read' }).waitFor({ state: 'detached' });
  assert.equal(await page.locator('#unread').isVisible(), false);
});

test('the figures of the operators’ page renew themselves, but not under the reader’s hand', async () => {
  const faults: string[] = [];
  const owner = { email: 'owner@example.org', password: 'correct horse battery' };
  await operatorClient(server.dataDir)('account.create', {
    ...{ username: 'owner', ...owner, confirmed: true, role: 'owner' },
  });
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(STEP_MS_MAX);
  page.on('pageerror', (error) => faults.push(error.message));
  await page.goto(`${server.url}/cluster`);
  await signIn(page, owner);
  await page.getByRole('heading', { name: 'Cluster' }).waitFor();
  const marked = page.locator('#live h2[data-old]');
  const mark = () => page.evaluate(() => document.querySelector('#live h2')?.setAttribute('data-old', ''));
  await mark();
  await marked.waitFor({ state: 'detached' });
  const events = page.waitForEvent('console', (message) => message.text() === 'two events');
  await page.locator('#live a').first().focus();
  await mark();
  await page.evaluate(() => {
    const stream = new EventSource('/cluster/streaming');
    let count = 0;
    stream.addEventListener('message', () => ++count === 2 && console.log('two events'));
  });
  await events;
  assert.equal(await marked.count(), 1);
  assert.deepEqual(faults, []);
});
