import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ServerProcess } from '../kit/services/server-process.js';
import { playWithMasto } from './clients/masto.js';
import { textTests } from './suites/text-beyond-ascii-suite.js';

const named = process.env.TEST_NODES;
assert.ok(named, 'TEST_NODES names the newer Node programs; scripts/test.mjs sets it');

for (const [major, node] of Object.entries(JSON.parse(named) as Record<string, string>)) {
  const start = () => ServerProcess.start({}, {}, node);

  describe(`on Node ${major} text beyond ASCII is sent in UTF-8`, () => textTests(start));

  describe(`on Node ${major}`, () => {
    let server: ServerProcess;
    before(async () => {
      server = await start();
    });
    after(() => server?.dispose());

    test('masto, unmodified, signs up, posts, follows, streams and talks', async () => {
      await playWithMasto({ urlA: server.url, urlB: server.url, dataDirs: [server.dataDir], suffix: `n${major}` });
    });

    test('headers of 9,000 bytes are taken, and longer ones are refused in JSON', async () => {
      const ask = (length: number) =>
        fetch(`${server.url}/api/v1/instance/rules`, { headers: { 'x-long': 'x'.repeat(length) } });
      assert.equal((await ask(9_000)).status, 200);
      const refused = await ask(30_000);
      assert.equal(refused.status, 400);
      assert.match(refused.headers.get('content-type') ?? '', /^application\/json/);
    });

    test('the server stops when it is asked to', async () => {
      assert.equal(await server.stop(), 0);
    });
  });
}
