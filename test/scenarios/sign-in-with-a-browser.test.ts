import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { type Browser, chromium } from 'playwright-core';
import { exchange, makeApp, makeUser, PASSWORD } from '../gateway/oauth/stage.js';
import { TestServer } from '../kit/server.js';

const STEP_MS_MAX = 20_000;
const flags = ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

let server: TestServer;
let browser: Browser;

before(async () => {
  server = await TestServer.start();
  await makeUser(server, 'alice');
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags });
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

test('somebody signs in and consents in a real browser, and the app gets its code', async () => {
  let arrive: (url: string) => void = () => undefined;
  const arrived = new Promise<string>((resolve) => {
    arrive = resolve;
  });
  const callback = createServer((request, response) => {
    if (request.url?.startsWith('/callback')) arrive(request.url);
    response.end('back in the app');
  });
  await new Promise<void>((resolve) => callback.listen(0, '127.0.0.1', resolve));
  const redirect_uri = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`;
  const app = await makeApp(server, { redirect_uris: redirect_uri, client_name: 'Tidings for phones' });
  const page = await browser.newPage({ viewport: { width: 420, height: 760 } });
  page.setDefaultTimeout(STEP_MS_MAX);
  const violations: string[] = [];
  page.on('console', (message) => violations.push(message.text()));
  try {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: app.client_id,
      redirect_uri,
      scope: 'read write',
    });
    await page.goto(`${server.url}/oauth/authorize?${query}`);
    await page.getByLabel('E-mail address or username').fill('alice');
    await page.getByLabel('Password').fill(PASSWORD);
    if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/sign-in.png` });
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Tidings for phones asks to use').waitFor();
    if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/consent.png` });
    await page.getByRole('button', { name: 'Authorize' }).click();
    const code = new URL(await arrived, redirect_uri).searchParams.get('code') ?? '';
    const token = await exchange(server, app, code, { redirect_uri, code_verifier: '' });
    assert.equal(token.status, 200, JSON.stringify(token.body));
    assert.deepEqual(violations, [], 'the browser had nothing to complain about');
  } finally {
    await page.close();
    callback.close();
  }
});
