import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContext, Page, Response } from 'playwright-core';
import { allRoutes } from '../../../gateway/routes/index.js';
import { launchChromium } from '../../kit/services/chromium.js';
import { ServerProcess } from '../../kit/services/server-process.js';
import { axeFaults } from './axe.js';
import { appearance, faultsInPage, focused } from './faults-in-page.js';
import { STEP_MS_MAX, signIn } from './steps.js';
import { type Login, makeTown, TITLE, type Visited } from './town.js';

/** Pages open at a time. */
const AT_ONCE = 4;
/** Steps of the Tab key that are followed on each page. */
const TABS = 8;
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1_280, height: 800 };
/** Rules of axe-core on what the width changes, and those on what the colours change. */
const WIDTH_RULES = ['scrollable-region-focusable'];
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];
const SCHEMES = ['light', 'dark'] as const;
/** Addresses that show no page: the API, documents for programs, files and redirects. `/dev/mails` is for developers. */
const NO_PAGES = [
  /^\/api\/(?!docs)/,
  /^\/(?:users|contexts|\.well-known|nodeinfo|assets|avatars|headers|media|media_proxy|dev)\//,
  /^\/(?:actor|oauth\/userinfo|settings|cluster\/streaming|settings\/archive\/download)$/,
  /^\/[\w-]+\.(?:svg|png|txt|json)$/,
  /^\/settings\/(?:exports|imports)\/|\/export$(?<!^\/settings\/export)/,
];

type Cookies = Awaited<ReturnType<BrowserContext['storageState']>>;
/** Returns the faults of a page that is open. */
type Look = (page: Page, visited: Visited) => Promise<readonly string[]>;

let server: ServerProcess;
let browser: Browser;
/** Pages, and the cookies of the person who visits them. */
let visits: readonly { readonly pages: readonly Visited[]; readonly storageState?: Cookies }[];
before(async () => {
  server = await ServerProcess.start();
  browser = await launchChromium(STEP_MS_MAX);
  const town = await makeTown(server);
  visits = await Promise.all(
    town.map(async ({ pages, by }) => (by === undefined ? { pages } : { pages, storageState: await cookiesOf(by) })),
  );
});
after(async () => {
  await browser?.close();
  await server?.dispose();
});

/** Signs a person in, and returns the browser's cookies. */
async function cookiesOf(login: Login): Promise<Cookies> {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_MS_MAX);
  await page.goto(`${server.url}/auth/sign_in?return_to=/settings/profile`);
  await signIn(page, login);
  await page.getByRole('button', { name: /^Sign out/ }).waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Visits all pages, some at a time; returns each fault with some of its pages. */
async function walk(options: Parameters<Browser['newContext']>[0], look: Look): Promise<readonly string[]> {
  const faults = new Map<string, string[]>();
  for (const { pages, ...signed } of visits) {
    const context = await browser.newContext({ ...options, ...signed });
    const open = [...pages];
    const work = async () => {
      const tab = await Tab.open(context);
      for (let next = open.shift(); next !== undefined; next = open.shift())
        for (const fault of await tab.visit(next, look)) {
          const kind = fault.replaceAll(/\d{15,}/g, 'ID');
          faults.set(kind, [...(faults.get(kind) ?? []), next.path]);
        }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    await context.close();
  }
  return [...faults].map(([fault, paths]) => `${fault} (${[...new Set(paths)].slice(0, 3).join(', ')})`);
}

/** A tab for one page after the other: each new tab would start a process of the browser. */
class Tab {
  private faults: string[] = [];
  /** True while the open page should be a refusal. */
  private isRefusal = false;

  private constructor(private readonly page: Page) {
    page.setDefaultTimeout(STEP_MS_MAX);
    page.on('console', (message) => {
      const isIntended = this.isRefusal && /status of 4\d\d/.test(message.text());
      if (message.type() === 'error' && !isIntended) this.faults.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.faults.push(`script: ${error.message}`));
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url) && !request.url().startsWith('data:'))
        this.faults.push(`third party: ${request.url()}`);
    });
  }

  static async open(context: BrowserContext): Promise<Tab> {
    return new Tab(await context.newPage());
  }

  /** Opens a page; returns what is wrong with the answer, what the browser complains of, and what `look` finds. */
  async visit({ path, status = 200 }: Visited, look: Look): Promise<readonly string[]> {
    this.faults = [];
    this.isRefusal = status !== 200;
    const response = await this.page.goto(`${server.url}${path}`);
    assert.ok(response !== null);
    if (response.status() !== status) this.faults.push(`status ${response.status()}`);
    this.faults.push(...(await headerFaults(response, path.endsWith('/embed'))));
    this.faults.push(...(await look(this.page, { path, status })));
    return this.faults;
  }
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

/**
 * Looks at an open page at both widths, by day and by night. All rules of axe-core judge it once. The widths and schemes
 * change positions and colours only, so the others see again what depends on these; a width that shows other elements
 * is judged in full. Colours are judged once: most pages have the same at both widths, and finding what lies behind each
 * text takes axe-core most of its time.
 */
async function inEachForm(page: Page, visited: Visited): Promise<readonly string[]> {
  const found: string[] = [];
  const judged = new Set<string>();
  let judgedShown = '';
  for (const viewport of [DESK, PHONE]) {
    await page.setViewportSize(viewport);
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      found.push(...(await built(page, visited)));
      const { shown, colours } = await page.evaluate(appearance);
      const rules = judged.has(colours) ? WIDTH_RULES : [...WIDTH_RULES, ...COLOUR_RULES];
      found.push(...(await axeFaults(page, shown === judgedShown ? rules : undefined)));
      judged.add(colours);
      judgedShown = shown;
    }
  }
  return found;
}

/** Follows the Tab key from the start of a page that was just opened. */
async function byKeyboard(page: Page, { path }: Visited): Promise<readonly string[]> {
  const found: string[] = [];
  for (let step = 0; step < TABS; step++) {
    await page.keyboard.press('Tab');
    const { name, isSkip, isVisible } = await page.evaluate(focused);
    if (step === 0 && !isSkip && !path.endsWith('/embed')) found.push(`first: ${name}`);
    if (!isVisible) found.push(`invisible focus: ${name}`);
  }
  return found;
}

test('the walk visits every page that there is', () => {
  const visited = visits.flatMap(({ pages }) => pages.map(({ path }) => path.split('?', 1)[0] ?? ''));
  const pages = allRoutes.filter(({ method, path }) => method === 'GET' && !NO_PAGES.some((no) => no.test(path)));
  assert.ok(pages.length > 70, String(pages.length));
  const missed = pages.filter(({ path }) => {
    const form = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`);
    return !visited.some((one) => form.test(one));
  });
  assert.deepEqual(
    missed.map(({ path }) => path),
    [],
  );
});

test(`each page is sound at ${DESK.width} and ${PHONE.width} px, by day and by night, and the keyboard reaches the skip link first, and its way is visible`, async () => {
  const look: Look = async (page, visited) => {
    await page.setViewportSize(DESK);
    return [...(await byKeyboard(page, visited)), ...(await inEachForm(page, visited))];
  };
  assert.deepEqual(await walk({ viewport: DESK }, look), []);
});

test('each page is sound without JavaScript', async () => {
  assert.deepEqual(await walk({ viewport: PHONE, javaScriptEnabled: false }, built), []);
});

test('the contrast of each form of a page is judged, also when one form alone is at fault', async () => {
  const page = await browser.newPage();
  for (const style of [
    '',
    '@media (prefers-color-scheme:dark) {p {color:#ccc}}',
    '@media (max-width:30rem) {p {color:#999}}',
    '@media (max-width:30rem) {main {background:#666}}',
    '@media (max-width:30rem) and (prefers-color-scheme:dark) {p {color:#ccc}}',
  ]) {
    await page.setContent(`<style>main {background:#fff} p {color:#222} ${style}</style><main><p>Some text</main>`);
    const faults = (await inEachForm(page, { path: '/' })).filter((fault) => fault.startsWith('axe color-contrast'));
    assert.equal(faults.length > 0, style !== '', style);
  }
  await page.close();
});
