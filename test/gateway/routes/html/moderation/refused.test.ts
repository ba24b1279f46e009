import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isPermitted } from '../../../../../actors/domain/permissions.js';
import { allRoutes } from '../../../../../gateway/routes/index.js';
import { Visitor } from '../../../../kit/network/visitor.js';
import { TestServer } from '../../../../kit/services/server.js';
import { makeUser, signedIn } from '../../../oauth/stage.js';

/** Pages and forms for moderators. */
const STAFF = allRoutes.filter(({ path }) => path.startsWith('/moderation'));
const pathOf = (path: string) => path.replaceAll(/:\w+/g, '1');

let server: TestServer;
before(async () => {
  server = await TestServer.start();
  for (const [name, role] of [
    ['mod', 'moderator'],
    ['chief', 'admin'],
    ['alice', 'user'],
  ] as const)
    await makeUser(server, name, role);
});
after(() => server?.stop());

/** Opens each page and sends each form without fields but its token; returns the answers by route. */
async function answersTo(visitor: Visitor): Promise<Map<string, string>> {
  await visitor.get('/settings/preferences');
  const { csrf = '' } = visitor.hidden('/settings/preferences');
  const found = new Map<string, string>();
  for (const { method, path } of STAFF) {
    const { status, text } =
      method === 'GET' ? await visitor.get(pathOf(path)) : await visitor.post(pathOf(path), { csrf });
    found.set(`${method} ${path}`, `${status} ${text}`);
  }
  return found;
}

test('each page for moderators is refused for an ordinary person, with one and the same page', async () => {
  assert.ok(STAFF.length >= 5);
  const answers = await answersTo(await signedIn(server, 'alice'));
  for (const [route, answer] of answers)
    if (route.startsWith('GET')) assert.equal(answer, [...answers.values()][0], route);
    else assert.match(answer, /^4(03|22) /, route);
  assert.match([...answers.values()][0] ?? '', /^403 .*<h1>/);
});

test('each page and form is refused for a role without its permission, and each page opens for others', async () => {
  for (const [name, role] of [
    ['mod', 'moderator'],
    ['chief', 'admin'],
  ] as const) {
    const answers = await answersTo(await signedIn(server, name));
    for (const { method, path, staff } of STAFF) {
      assert.ok(staff !== undefined, `${path} demands no permission`);
      const answer = answers.get(`${method} ${path}`) ?? '';
      if (!isPermitted(role, staff)) assert.match(answer, /^(403|422) /, `${role} ${method} ${path}`);
      else if (method === 'GET' && !path.includes(':')) assert.match(answer, /^200 /, `${role} ${path}`);
    }
  }
});

test('a stranger is led to the sign-in by each page, and each form is refused', async () => {
  for (const { method, path } of STAFF) {
    const visitor = new Visitor(server, { accept: 'text/html' });
    const { status, location } =
      method === 'GET' ? await visitor.get(pathOf(path)) : await visitor.post(pathOf(path), { csrf: 'forged' });
    if (method === 'GET') assert.match(location ?? '', /^\/auth\/sign_in\?return_to=/, path);
    else assert.equal(status, 403, path);
  }
});
