import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { createRestAPIClient } from 'masto';
import { type Person, TestServer } from '../kit/server.js';

const run = promisify(execFile);
const script = join(process.cwd(), 'test/scenarios/clients/own_account.py');
const PLAY_MS_MAX = 60_000;

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server.stop());

const clientOf = ({ token }: Person) => createRestAPIClient({ url: server.url, accessToken: token });

test('Mastodon.py, unmodified, filters, notes, endorses, features, blocks domains and edits a profile', async () => {
  const python = process.env.TEST_PYTHON;
  assert.ok(python, 'TEST_PYTHON names the interpreter that has Mastodon.py; scripts/test.mjs sets it');
  const [ada, ben] = [await server.person('ada'), await server.person('ben')];
  const played = await run(python, [script, server.url, ada.token, ben.token], { timeout: PLAY_MS_MAX });
  assert.equal(JSON.parse(played.stdout).ok, true);
});

test('masto, unmodified, does the same', async () => {
  const [cleo, dan] = [await server.person('cleo'), await server.person('dan')];
  const client = clientOf(cleo);
  const account = client.v1.accounts.$select(dan.id);
  assert.equal((await account.follow({ languages: ['en'] })).following, true);
  const filter = await client.v2.filters.create({
    title: 'cats',
    context: ['home'],
    filterAction: 'warn',
    expiresIn: 60,
    keywordsAttributes: [{ keyword: 'cat', wholeWord: 'true' } as never],
  });
  const status = await dan.says('a cat', { language: 'en' });
  const [shown] = await client.v1.timelines.home.list();
  assert.deepEqual([shown?.id, shown?.filtered?.[0]?.filter.title], [status, 'cats']);
  await client.v2.filters.$select(filter.id).update({ title: 'all cats' });
  assert.deepEqual(
    (await client.v2.filters.list()).map(({ title }) => title),
    ['all cats'],
  );
  await client.v2.filters.$select(filter.id).remove();
  const phrase = await client.v1.filters.create({ phrase: 'dog', context: ['home'], irreversible: true });
  assert.equal((await client.v1.filters.$select(phrase.id).fetch()).irreversible, true);
  assert.equal((await account.note.create({ comment: 'a friend' })).note, 'a friend');
  assert.equal((await account.pin()).endorsed, true);
  assert.deepEqual(
    (await client.v1.endorsements.list()).map(({ id }) => id),
    [dan.id],
  );
  const tag = await client.v1.featuredTags.create({ name: 'birds' });
  assert.deepEqual(
    (await client.v1.accounts.$select(cleo.id).featuredTags.list()).map(({ id }) => id),
    [tag.id],
  );
  await client.v1.domainBlocks.create({ domain: 'bad.example' });
  assert.deepEqual([...(await client.v1.domainBlocks.list())], ['bad.example']);
  await client.v1.domainBlocks.remove({ domain: 'bad.example' });
  const own = await client.v1.accounts.updateCredentials({ displayName: 'Cleo', source: { language: 'fr' } });
  assert.deepEqual([own.displayName, own.source.language], ['Cleo', 'fr']);
  assert.equal((await client.v1.preferences.fetch())['posting:default:language'], 'fr');
  // Its types ask for a bare list, which it would send without a name.
  const familiar = await client.v1.accounts.familiarFollowers.fetch({ id: [dan.id] } as never);
  assert.deepEqual(familiar, [{ id: dan.id, accounts: [] }]);
});
