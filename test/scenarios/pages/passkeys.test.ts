import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { Balancer } from '../../kit/network/balancer.js';
import { launchChromium } from '../../kit/services/chromium.js';
import { ServerProcess } from '../../kit/services/server-process.js';
import { makePeople, type Person } from '../cluster/people.js';
import { axeFaults } from './axe.js';
import { STEP_MS_MAX, signIn } from './steps.js';

let server: ServerProcess;
let balancer: Balancer;
let browser: Browser;
let ada: Person;
/** Address of the pages. Passkeys belong to a name; an IP address can have none. */
let url: string;

before(async () => {
  const nodes: string[] = [];
  balancer = await Balancer.open(nodes);
  url = balancer.url.replace('127.0.0.1', 'localhost');
  server = await ServerProcess.start({ BASE_URL: url });
  nodes.push(server.url);
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
  browser = await launchChromium(STEP_MS_MAX);
});
after(async () => {
  await browser?.close();
  await balancer?.close();
  await server?.dispose();
});

/** Connects a security key of the browser's own to the page. */
async function plugIn(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

test('a person adds a passkey and signs in with it, without a password', async () => {
  const page = await (await browser.newContext({ bypassCSP: false })).newPage();
  page.setDefaultTimeout(STEP_MS_MAX);
  const faults: string[] = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(error.message));
  await plugIn(page);
  await page.goto(`${url}/auth/sign_in?return_to=/settings/passkeys`);
  await signIn(page, ada);
  await page.getByLabel('Name of the passkey').fill('My <key>');
  await page.getByLabel('Your password').fill(ada.password);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('My <key>', { exact: true }).waitFor();
  await page.getByRole('button', { name: /^Sign out/ }).click();
  await page.goto(`${url}/auth/sign_in?return_to=/settings/passkeys`);
  await page.getByRole('button', { name: 'Use a passkey instead' }).click();
  await page.getByText(/^Last used on/).waitFor();
  await page.getByRole('button', { name: 'Remove My <key>' }).click();
  await page.getByText('You have no passkey yet.').waitFor();
  assert.deepEqual(faults, []);
});

test('without JavaScript the pages offer no passkey, and say why', async () => {
  const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  page.setDefaultTimeout(STEP_MS_MAX);
  await page.goto(`${url}/auth/sign_in?return_to=/settings/passkeys`);
  assert.equal(await page.getByRole('button', { name: 'Use a passkey instead' }).isVisible(), false);
  await signIn(page, ada);
  await page.getByText('Passkeys need a browser that supports them, with JavaScript.').waitFor();
});

test('a browser without a passkey says so, and the page stays accessible', async () => {
  const page = await (await browser.newContext({ bypassCSP: true })).newPage();
  page.setDefaultTimeout(STEP_MS_MAX);
  await plugIn(page);
  await page.goto(`${url}/auth/sign_in`);
  await page.getByRole('button', { name: 'Use a passkey instead' }).click();
  await page.getByRole('alert').waitFor();
  assert.deepEqual(await axeFaults(page), []);
});
