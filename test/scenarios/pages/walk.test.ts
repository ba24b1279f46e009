import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContext, Page, Response } from 'playwright-core';
import { launchChromium } from '../../kit/services/chromium.js';
import { ServerProcess } from '../../kit/services/server-process.js';
import { axeFaults } from './axe.js';
import { faultsInPage, focused } from './faults-in-page.js';
import { makeTown, TITLE, type Visited } from './town.js';

/** Timeout of a step: pages take milliseconds, a cold browser on a busy machine longer. */
const STEP_MS_MAX = 120_000;
/** Pages open at a time. */
const AT_ONCE = 4;
/** Steps of the Tab key that are followed on each page. */
const TABS = 8;
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1_280, height: 800 };
const SCHEMES = ['light', 'dark'] as const;

let server: ServerProcess;
let browser: Browser;
let pages: readonly Visited[];
before(async () => {
  [server, browser] = await Promise.all([ServerProcess.start(), launchChromium(STEP_MS_MAX)]);
  pages = await makeTown(server);
});
after(async () => {
  await browser?.close();
  await server?.dispose();
});

/** Visits all pages in a context, some at a time; returns each fault with some of its pages. */
async function walk(
  options: Parameters<Browser['newContext']>[0],
  look: (page: Page, visited: Visited) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const context = await browser.newContext(options);
  const faults = new Map<string, string[]>();
  const open = [...pages];
  const work = async () => {
    for (let visited = open.shift(); visited !== undefined; visited = open.shift())
      for (const fault of await visit(context, visited, look)) {
        const kind = fault.replaceAll(/\d{15,}/g, 'ID');
        faults.set(kind, [...(faults.get(kind) ?? []), visited.path]);
      }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await context.close();
  return [...faults].map(([fault, paths]) => `${fault} (${[...new Set(paths)].slice(0, 3).join(', ')})`);
}

/** Opens a page; returns what is wrong with the answer, what the browser complains of, and what `look` finds. */
async function visit(
  context: BrowserContext,
  { path, status = 200 }: Visited,
  look: (page: Page, visited: Visited) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_MS_MAX);
  const faults: string[] = [];
  page.on('console', (message) => {
    const isIntended = status !== 200 && /status of 4\d\d/.test(message.text());
    if (message.type() === 'error' && !isIntended) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(server.url) && !request.url().startsWith('data:'))
      faults.push(`third party: ${request.url()}`);
  });
  const response = await page.goto(`${server.url}${path}`);
  assert.ok(response !== null);
  if (response.status() !== status) faults.push(`status ${response.status()}`);
  faults.push(...(await headerFaults(response, path.endsWith('/embed'))));
  faults.push(...(await look(page, { path, status })));
  await page.close();
  return faults;
}

async function headerFaults(response: Response, isFramed: boolean): Promise<string[]> {
  const headers = await response.allHeaders();
  const csp = headers['content-security-policy'] ?? '';
  const faults: string[] = [];
  if (!/default-src 'none'/.test(csp) || csp.includes('unsafe-')) faults.push(`policy: ${csp}`);
  if (/frame-ancestors 'none'/.test(csp) === isFramed) faults.push('frames: policy');
  if ((headers['x-frame-options'] === 'DENY') === isFramed) faults.push('frames: header');
  if (headers['access-control-allow-origin'] !== undefined) faults.push('scripts of other sites may read it');
  if (headers['permissions-policy'] === undefined) faults.push('no permissions policy');
  if (!headers['content-type']?.startsWith('text/html')) faults.push(`type ${headers['content-type']}`);
  return faults;
}

const built = (page: Page, { path }: Visited) =>
  page.evaluate(faultsInPage, { instance: TITLE, isFramed: path.endsWith('/embed') });

for (const viewport of [PHONE, DESK])
  test(`each public page is sound at ${viewport.width} px, by day and by night`, async () => {
    const faults = await walk({ viewport, bypassCSP: true }, async (page, visited) => {
      const found: string[] = [];
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        found.push(...(await built(page, visited)));
        // The scheme changes colours only.
        found.push(...(await axeFaults(page, colorScheme === 'light' ? undefined : ['color-contrast'])));
      }
      return found;
    });
    assert.deepEqual(faults, []);
  });

test('each public page works without JavaScript and with its own policy', async () => {
  for (const javaScriptEnabled of [false, true])
    assert.deepEqual(await walk({ viewport: PHONE, javaScriptEnabled }, built), [], `${javaScriptEnabled}`);
});

test('the keyboard reaches the skip link first, and its way is visible', async () => {
  const faults = await walk({ viewport: DESK }, async (page, { path }) => {
    const found: string[] = [];
    for (let step = 0; step < TABS; step++) {
      await page.keyboard.press('Tab');
      const { name, isSkip, isVisible } = await page.evaluate(focused);
      if (step === 0 && !isSkip && !path.endsWith('/embed')) found.push(`first: ${name}`);
      if (!isVisible) found.push(`invisible focus: ${name}`);
    }
    return found;
  });
  assert.deepEqual(faults, []);
});
