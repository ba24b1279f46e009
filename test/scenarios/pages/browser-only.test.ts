import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../../kit/services/chromium.js';
import { ServerProcess } from '../../kit/services/server-process.js';
import { until } from '../../kit/time/until.js';
import { confirmationLink } from '../clients/mail.js';
import { call, makePeople, type Person } from '../cluster/people.js';
import { axeFaults } from './axe.js';
import { reloadUntil, STEP_MS_MAX, signIn } from './steps.js';

const PASSWORD = 'correct horse battery';
/** PNG, 1 × 1. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let server: ServerProcess;
let browser: Browser;
let ben: Person;
before(async () => {
  server = await ServerProcess.start();
  [ben] = (await makePeople(server.dataDir, ['ben'])) as [Person];
  browser = await launchChromium(STEP_MS_MAX);
});
after(async () => {
  await browser?.close();
  await server?.dispose();
});

for (const [name, options] of [
  ['ada', { javaScriptEnabled: false, viewport: { width: 390, height: 800 } }],
  ['bea', { javaScriptEnabled: true, viewport: { width: 1_280, height: 900 } }],
] as const) {
  const scripts = options.javaScriptEnabled ? 'with' : 'without';
  test(`a person joins, posts, follows, answers and leaves with a browser alone, ${scripts} JavaScript`, async () => {
    const page = await (await browser.newContext(options)).newPage();
    page.setDefaultTimeout(STEP_MS_MAX);
    await join(page, name);
    await post(page, name);
    await followAndAnswer(page, name);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'detached' });
    await page.goto(`${server.url}/web`);
    await page.getByLabel('Password').waitFor();
  });
}

async function join(page: Page, name: string): Promise<void> {
  const email = `${name}@example.org`;
  await page.goto(server.url);
  await page.getByRole('link', { name: 'Create account' }).first().click();
  await page.getByLabel('Username').fill(name);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();
  await page.goto(await confirmationLink([server.dataDir], email));
  await page.goto(`${server.url}/web`);
  await signIn(page, { email: name, password: PASSWORD });
  await page.getByLabel('What is new?').waitFor();
}

async function post(page: Page, name: string): Promise<void> {
  await page.getByLabel('What is new?').fill(`hello from ${name}`);
  await page.getByText('Pictures, poll and more').click();
  await page.setInputFiles('input[name=file1]', { name: 'dot.png', mimeType: 'image/png', buffer: PIXEL });
  await page.locator('input[name=description1]').fill('one dot');
  await page.getByRole('button', { name: 'Post', exact: true }).click();
  await page.waitForURL(/#post-/);
  await reloadUntil(page, page.getByText(`hello from ${name}`));
  assert.equal(await page.getByAltText('one dot').count(), 1);
}

interface Notice {
  readonly type: string;
  readonly account: { readonly username: string };
}

async function followAndAnswer(page: Page, name: string): Promise<void> {
  const status = `news for ${name}`;
  await call(server.url, ben, 'POST', '/api/v1/statuses', { status });
  await page.goto(`${server.url}/web/search?q=ben`);
  await page.getByRole('link', { name: /@ben/ }).click();
  await page.getByRole('button', { name: 'Follow', exact: true }).click();
  await page.getByRole('button', { name: 'Unfollow' }).waitFor();
  const shown = page.getByRole('article').filter({ hasText: status });
  await reloadUntil(page, shown);
  await shown.getByRole('link', { name: /^Reply/ }).click();
  await page.getByLabel('Your reply').fill(`@ben thank you from ${name}`);
  await page.getByRole('button', { name: 'Reply', exact: true }).click();
  await page.waitForURL(/#post-/);
  await reloadUntil(page, page.getByText(`thank you from ${name}`));
  const isNotified = async () => {
    const notices = (await call(server.url, ben, 'GET', '/api/v1/notifications')) as readonly Notice[];
    const types = notices.filter(({ account }) => account.username === name).map(({ type }) => type);
    return types.includes('mention') && types.includes('follow');
  };
  await until('ben is told of the follow and of the answer', isNotified, STEP_MS_MAX);
}

test('axe-core finds nothing on the pages of the client and of the settings', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await (await browser.newContext({ colorScheme, bypassCSP: true })).newPage();
    page.setDefaultTimeout(STEP_MS_MAX);
    await page.goto(`${server.url}/web`);
    await signIn(page, ben);
    await page.getByLabel('What is new?').waitFor();
    for (const path of [
      '/web',
      '/web/notifications',
      '/web/search?q=ada',
      '/settings/profile',
      '/settings/preferences',
    ]) {
      await page.goto(`${server.url}${path}`);
      assert.deepEqual(await axeFaults(page), [], `${path}, ${colorScheme}`);
    }
  }
});
