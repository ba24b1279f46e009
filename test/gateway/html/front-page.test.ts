import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isProblem } from '../../../actors/domain/problem.js';
import type { Settings } from '../../../cli/settings.js';
import { type EntryChange, putEntry } from '../../../gateway/settings/changes.js';
import { TestServer } from '../../kit/services/server.js';
import { makeApp, makeUser, signedIn } from '../oauth/stage.js';

const HOSTILE = '<img src=x onerror=alert(1)>';
const POLICY = `# Privacy\n\nWe keep **little**. ${HOSTILE} [bad](javascript:alert(1)) [good](https://birds.example)\n\n- one`;

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server?.stop());

async function set(change: EntryChange, on = server): Promise<void> {
  const made = await putEntry(on.node.services, '', change);
  assert.ok(!isProblem(made), JSON.stringify(made));
}
const setting = (key: string, text: string, on = server) =>
  set({ collection: 'settings', key, replace: true, text: { text, hint: '' } }, on);

async function page(path: string, on = server): Promise<string> {
  const response = await on.send(path, { headers: { accept: 'text/html' } });
  assert.equal(response.status, 200, path);
  return response.text();
}

/** Runs `look` with a server of other settings. */
async function withServer(settings: Partial<Settings>, look: (other: TestServer) => Promise<void>): Promise<void> {
  const other = await TestServer.start(settings);
  try {
    await look(other);
  } finally {
    await other.stop();
  }
}

test('the front page names who runs the server, its rules, numbers, web clients, and the latest local posts', async () => {
  const mayor = await server.person('mayor');
  await mayor.says('for all eyes');
  await mayor.says('for followers only', { visibility: 'private' });
  await mayor.says('not in lists', { visibility: 'unlisted' });
  await setting('title', `Nest ${HOSTILE}`);
  await setting('description', `A place for birds ${HOSTILE}`);
  await setting('contact_username', 'mayor');
  await setting('contact_email', 'mayor@example.org');
  await set({ collection: 'rules', text: { text: `Be kind ${HOSTILE}`, hint: 'always' } });
  const shown = await page('/');
  assert.match(shown, /<h2>Run by<\/h2>.*href="\/@mayor".*href="mailto:mayor@example\.org"/s);
  assert.match(shown, /<ol><li>Be kind &lt;img src=x onerror=alert\(1\)><span[^>]*> always<\/span><\/li><\/ol>/);
  for (const name of ['People', 'Active this month', 'Posts', 'Known servers'])
    assert.match(shown, new RegExp(`<li><strong>\\d+</strong> ${name}</li>`), name);
  assert.match(shown, /href="https:\/\/phanpy\.social\/#\/login\?instance=localhost"[^>]*>Phanpy</);
  assert.match(shown, /href="https:\/\/elk\.zone\/localhost\/public\/local"[^>]*>Elk</);
  assert.match(shown, /<h2>Latest posts<\/h2>.*for all eyes.*href="\/public\/local"/s);
  assert.doesNotMatch(shown, /for followers only|not in lists|<img src=x/);
});

test('the front page offers the sign-up, says that moderators approve it, or says why it is closed', async () => {
  assert.match(await page('/'), /<h2>Join<\/h2>.*href="\/auth\/sign_up"/s);
  await makeUser(server, 'member');
  assert.doesNotMatch((await (await signedIn(server, 'member')).get('/')).text, /<h2>Join<\/h2>/);
  await withServer({ REGISTRATIONS: 'approval' }, async (other) => {
    assert.match(await page('/', other), /Moderators look at each request.*href="\/auth\/sign_up"/s);
  });
  await withServer({ REGISTRATIONS: 'closed' }, async (other) => {
    assert.match(await page('/', other), /This server is not open for new accounts at the moment/);
    await setting('registrations_message', `Full nest ${HOSTILE}`, other);
    await setting('contact_email', 'mayor@example.org', other);
    const shown = await page('/', other);
    assert.match(shown, /<p>Full nest &lt;img.*Write to <a href="mailto:mayor@example\.org">/s);
    assert.doesNotMatch(shown, /href="\/auth\/sign_up"/);
  });
});

test('/about lists the servers that this one moderates, with reasons, without what staff keeps to itself', async () => {
  assert.match(await page('/about'), /does not publish a list/);
  const limit = { rejectMedia: true, rejectReports: false, privateComment: 'a secret', lists: [], obfuscate: false };
  for (const [key, severity, publicComment] of [
    ['spam.example', 'suspend', `spam ${HOSTILE}`],
    ['loud.example', 'silence', 'too loud'],
    ['fine.example', 'noop', 'nothing'],
  ] as const)
    await set({ collection: 'domain_blocks', key, domain: { ...limit, severity, publicComment } });
  const shown = await page('/about');
  assert.match(shown, /<td>spam\.example<\/td><td>suspended<\/td><td>spam &lt;img/);
  assert.match(shown, /<td>loud\.example<\/td><td>limited<\/td><td>too loud<\/td>/);
  assert.doesNotMatch(shown, /fine\.example|a secret|<img src=x/);
});

test('the operator decides who sees the moderated servers and the reasons, on the page and by the API', async () => {
  await withServer({}, async (other) => {
    const domain = {
      ...{ severity: 'suspend', publicComment: 'sells spam', privateComment: '', lists: [] },
      ...{ rejectMedia: false, rejectReports: false, obfuscate: false },
    };
    await set({ collection: 'domain_blocks', key: 'spam.example', domain }, other);
    await makeUser(other, 'ann');
    const visitor = await signedIn(other, 'ann');
    const bee = await other.person('bee');
    const { client_id, client_secret } = await makeApp(other);
    const grant = { grant_type: 'client_credentials', client_id, client_secret };
    const { access_token: app } = (await other.ask('POST', '/oauth/token', grant)).body;
    const path = '/api/v1/instance/domain_blocks';
    const ask = (token?: string) => other.ask('GET', path, undefined, token);
    const seen = async () => {
      const [stranger, application, user] = await Promise.all([ask(), ask(app), ask(bee.token)]);
      const pages = [await page('/about', other), (await visitor.get('/about')).text];
      return {
        statuses: [stranger.status, application.status, user.status],
        reasons: [stranger, user].map(({ body }) => body[0]?.comment),
        onPage: pages.map((text) => [text.includes('spam.example'), text.includes('sells spam')]),
      };
    };
    const [whole, bare, none] = [
      [true, true],
      [true, false],
      [false, false],
    ];
    const everybody = { statuses: [200, 200, 200], reasons: ['sells spam', 'sells spam'], onPage: [whole, whole] };
    assert.deepEqual(await seen(), everybody, 'by default');
    await setting('show_domain_blocks_rationale', 'users', other);
    assert.deepEqual(await seen(), { ...everybody, reasons: [undefined, 'sells spam'], onPage: [bare, whole] });
    await setting('show_domain_blocks_rationale', 'disabled', other);
    assert.deepEqual(await seen(), { ...everybody, reasons: [undefined, undefined], onPage: [bare, bare] });
    await setting('show_domain_blocks_rationale', 'all', other);
    await setting('show_domain_blocks', 'users', other);
    const users = { statuses: [401, 401, 200], reasons: [undefined, 'sells spam'], onPage: [none, whole] };
    assert.deepEqual(await seen(), users);
    assert.match(await page('/about', other), /People who are signed in see here/);
    await setting('show_domain_blocks', 'disabled', other);
    const nobody = { statuses: [404, 404, 404], reasons: [undefined, undefined], onPage: [none, none] };
    assert.deepEqual(await seen(), nobody);
    assert.match(await page('/about', other), /does not publish a list/);
  });
});

test('settings about who sees the moderated servers accept their values only', async () => {
  for (const key of ['show_domain_blocks', 'show_domain_blocks_rationale'])
    for (const text of ['', 'yes', 'All', 'users ']) {
      const change = { collection: 'settings', key, replace: true, text: { text, hint: '' } } as const;
      const refused = await putEntry(server.node.services, '', change);
      assert.ok(isProblem(refused), `${key} ${text}`);
      assert.match(refused.detail, /disabled, users, all/);
    }
});

test('texts of administrators are Markdown without markup or links that run', async () => {
  await setting('privacy_policy', POLICY);
  await setting('extended_description', POLICY);
  await set({ collection: 'terms', key: '2025-01-01', text: { text: POLICY, hint: '' } });
  for (const path of ['/privacy-policy', '/about', '/terms-of-service']) {
    const shown = await page(path);
    assert.match(shown, /<h2>Privacy<\/h2>\s*<p>We keep <strong>little<\/strong>\. &lt;img src=x onerror/, path);
    assert.match(shown, /<a href="https:\/\/birds\.example">good<\/a>.*<li>one<\/li>/s, path);
    assert.doesNotMatch(shown, /<img src=x|href="javascript:/, path);
    assert.equal(shown.match(/<h1/g)?.length, 1, path);
  }
});

test('each page has a skip link, navigation, a footer, its address and a preview', async () => {
  for (const path of ['/', '/about', '/public', '/@mayor', '/directory', '/explore']) {
    const shown = await page(path);
    assert.match(shown, /<body><a class="skip" href="#content">.*<main id="content"/s, path);
    const footer = /<footer class="bar">.*<\/footer>/s.exec(shown)?.[0] ?? '';
    for (const href of ['/about', '/about#rules', '/privacy-policy', 'http'])
      assert.ok(footer.includes(`href="${href}`), `${path} ${href}`);
    assert.ok(footer.includes(`Murmuration ${server.node.services.instance.version}`), path);
    assert.ok(shown.includes(`<link rel="canonical" href="http://localhost${path}"`), path);
    assert.ok(shown.includes(`<meta property="og:url" content="http://localhost${path}"`), path);
    assert.match(shown, /<title>[^<]+ – [^<]+<\/title>.*<meta property="og:title" content="[^"]+"/s, path);
  }
});
