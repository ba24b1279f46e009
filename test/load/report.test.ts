import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import type { LoadResult, Moment } from '../../load/judging/result.js';
import { reportPage } from '../../load/report/page.js';
import { launchChromium } from '../kit/services/chromium.js';
import { FaultyServer } from './faulty-server.js';
import { load, type Ran } from './running.js';

/** Timeout of a step: a file takes milliseconds, a cold browser on a busy machine longer. */
const STEP_MS_MAX = 120_000;
const DESK = { width: 1_100, height: 800 };
const TELEPHONE = { width: 360, height: 640 };
/** A hostile user name, which must not become part of the page. */
const HOSTILE = '<img src=http://127.0.0.1:9/ onerror=alert(1)>"&';

let browser: Browser;
let folder: string;
let ran: Ran;
let file: string;

before(async () => {
  const server = await FaultyServer.start(6, {
    names: HOSTILE,
    loseInHomesEach: 15,
    repeatEach: 20,
    shedEach: 7,
    failEach: 11,
  });
  const args = ['--rate', '150/s', '--for', '2s', '--settle', '200ms', '--late', '500ms', '--follows', '4'];
  ran = await load(server.lines, server.url, ...args);
  server.stop();
  folder = await mkdtemp(join(tmpdir(), 'murmuration-report-'));
  file = join(folder, 'report.html');
  await writeFile(file, ran.report ?? '');
  browser = await launchChromium(STEP_MS_MAX);
});
after(async () => {
  await browser?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** Opens the page; collects its network requests and its errors. */
async function opened(options: Parameters<Browser['newContext']>[0], shown = file) {
  const page = await (await browser.newContext(options)).newPage();
  page.setDefaultTimeout(STEP_MS_MAX);
  const [asked, complaints]: [string[], string[]] = [[], []];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => complaints.push(dialog.message()));
  await page.goto(pathToFileURL(shown).href);
  return { page, asked, complaints };
}

/** Returns the visible plots with their contents. */
function plots(page: Page): Promise<{ label: string; width: number; drawn: number }[]> {
  return page.locator('svg').evaluateAll((all) =>
    all
      .filter((one) => one.getClientRects().length > 0)
      .map((one) => ({
        label: one.getAttribute('aria-label') ?? '',
        width: one.getBoundingClientRect().width,
        drawn: one.querySelectorAll('polyline, polygon, rect.bar').length,
      })),
  );
}

test('the report shows its plots, each with something in it, on a desk and on a telephone', async () => {
  for (const viewport of [DESK, TELEPHONE]) {
    const { page } = await opened({ viewport });
    const seen = await plots(page);
    const labels = seen.map(({ label }) => label);
    for (const expected of [
      'Answers a second over time',
      'Latency over time',
      'Share answered within a time',
      'Share of posts seen within a time',
      'How many of post took how long',
      'Latency of home over time',
    ]) {
      assert.equal(labels.filter((label) => label === expected).length, 1, `${expected} at ${viewport.width}`);
    }
    for (const { label, width, drawn } of seen) assert.ok(width > 200 && drawn > 0, `${label}: ${width} px, ${drawn}`);
  }
});

test('nothing extends beyond the edge, neither on a telephone nor on a desk', async () => {
  for (const viewport of [TELEPHONE, { width: 320, height: 568 }, { width: 768, height: 1_024 }, DESK]) {
    const { page } = await opened({ viewport });
    const width = await page.evaluate('document.documentElement.scrollWidth');
    assert.equal(width, viewport.width);
  }
});

test('letters in the plots are large enough to be read on a telephone', async () => {
  const { page } = await opened({ viewport: TELEPHONE });
  const heights = await page
    .locator('svg text')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height).filter((height) => height > 0));
  assert.ok(Math.min(...heights) >= 9, `${Math.min(...heights)} px`);
});

test('the report is light or dark as the reader’s system', async () => {
  const background = async (colorScheme: 'light' | 'dark') => {
    const { page } = await opened({ colorScheme });
    return String(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
  };
  const brightness = (colour: string) => Number(/\d+/.exec(colour)?.[0]);
  assert.ok(brightness(await background('light')) > 200);
  assert.ok(brightness(await background('dark')) < 60);
});

test('the report is self-contained, and user names stay text', async () => {
  const { page, asked, complaints } = await opened({ viewport: DESK });
  assert.deepEqual(asked, [pathToFileURL(file).href]);
  assert.deepEqual(complaints, []);
  assert.equal(await page.locator('img, script, link, iframe').count(), 0);
  assert.ok((await page.locator('main').textContent())?.includes(`home of ${HOSTILE}`));
});

test('a run of one interval, ended early, shows its points too', async () => {
  const { series, ...others } = ran.result as LoadResult;
  const moment = series.all.find(({ good }) => good > 0) as Moment;
  const only = { ...series, all: [{ ...moment, atMs: 0 }], byOperation: {} };
  const short = join(folder, 'short.html');
  await writeFile(short, reportPage({ ...others, series: only, seconds: 0.1, interrupted: true }));
  const { page, complaints } = await opened({ viewport: DESK }, short);
  assert.deepEqual(complaints, []);
  const latency = page.locator('svg[aria-label="Latency over time"] >> visible=true').first();
  const points = await latency
    .locator('polyline')
    .evaluateAll((all) => all.map((one) => one.getAttribute('points')?.split(' ').length));
  assert.deepEqual(points, [2, 2, 2]);
  const cap = await page.evaluate("getComputedStyle(document.querySelector('svg polyline')).strokeLinecap");
  assert.equal(cap, 'round');
  assert.match((await page.locator('main').textContent()) ?? '', /interrupted/);
});

test('the report shows the outcome of the run, every verdict, every limit and every error', async () => {
  assert.equal(ran.code, 1);
  const { page } = await opened({ viewport: DESK });
  assert.match(await page.title(), /^Failed: Load on http:\/\/127\.0\.0\.1/);
  const text = (await page.locator('main').textContent()) ?? '';
  for (const verdict of ['lost', 'repeated', 'out of order', 'late']) assert.ok(text.includes(verdict));
  const limits = await page.locator('table').first().locator('tr').count();
  assert.equal(limits, 1 + (ran.result?.limits.length ?? 0));
  assert.match(text, /home500\d+/);
  const lost = page.locator('.card', { hasText: 'acknowledged, yet missing' });
  assert.equal(await lost.locator('.figure').textContent(), String(ran.result?.verdicts.lost));
});
