import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BadSetting, readSettings } from '../../../../cli/settings.js';
import { TestServer } from '../../../kit/services/server.js';

test('the preview shows each mail in each language and form, without anything of a user', async () => {
  const server = await TestServer.start({ DEV_PAGES: 'on' });
  try {
    const index = await server.get('/dev/mails');
    assert.equal(index.status, 200);
    const links = [...String(index.body).matchAll(/href="(\/dev\/mails[^"]+)"/g)].map(([, path = '']) =>
      path.replaceAll('&amp;', '&'),
    );
    assert.ok(links.length >= 4 * 15, `${links.length}`);
    for (const link of links) {
      const shown = await server.get(link);
      assert.equal(shown.status, 200, link);
      assert.doesNotMatch(String(shown.body), /undefined|\[object/, link);
    }
    assert.match(String((await server.get('/dev/mails?mail=reset&language=de')).body), /Hallo ada/);
    for (const mail of ['none', 'constructor']) assert.equal((await server.get(`/dev/mails?mail=${mail}`)).status, 404);
  } finally {
    await server.stop();
  }
});

test('the preview does not exist otherwise, and no public server can switch it on', async () => {
  const server = await TestServer.start();
  try {
    assert.equal((await server.get('/dev/mails')).status, 404);
  } finally {
    await server.stop();
  }
  assert.throws(() => readSettings({ DEV_PAGES: 'on', BASE_URL: 'https://here.example' }, {}), BadSetting);
});
