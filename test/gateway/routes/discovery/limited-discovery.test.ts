import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

let server: TestServer;
let viewer: Person;
before(async () => {
  server = await TestServer.start();
  viewer = await server.person('viewer');
});
after(() => server.stop());

/** Trends stay cached for longer if computing them takes long, as on a busy machine. */
const WAIT_MS = 60_000;
const moderate = (person: Person, action: string) =>
  server.node.services.askAccount(person.id, 'moderate', { action, by: '', text: '', mail: false });

/**
 * Returns the places that show a discoverable account and its status with a word, a hashtag and a link that others use,
 * too.
 */
async function places(who: Person): Promise<string[]> {
  const found: string[] = [];
  const has = async (name: string, path: string, asked: { get: Person['get'] } = viewer) => {
    const { status, body } = await asked.get(path);
    assert.equal(status, 200, path);
    if (JSON.stringify(body).includes(`"id":"${who.id}"`)) found.push(name);
  };
  await has('people', `/api/v2/search?q=${who.name}&type=accounts`);
  await has('words', `/api/v2/search?q=quetzal${who.name}&type=statuses`);
  await has('tag', `/api/v1/timelines/tag/quetzal${who.name}`, server);
  await has('directory', '/api/v1/directory', server);
  await has('suggestions', '/api/v2/suggestions?limit=80');
  await has('trends', '/api/v1/trends/statuses?limit=40', server);
  return found;
}

test('a suspended account is discovered nowhere, a silenced one only by name, and both are back afterwards', async () => {
  for (const [action, undo, left] of [
    ['suspend', 'unsuspend', []],
    ['silence', 'unsilence', ['people']],
  ] as const) {
    const who = await server.person(`${action}_one`);
    const settings = { discoverable: true, indexable: true };
    await server.ask('PATCH', '/api/v1/accounts/update_credentials', settings, who.token);
    const id = await who.says(`quetzal${who.name} #quetzal${who.name}`);
    for (const name of ['x', 'y'])
      await (await server.person(`${action}_${name}`)).post(`/api/v1/statuses/${id}/favourite`);
    const everywhere = ['people', 'words', 'tag', 'directory', 'suggestions', 'trends'];
    const shown = (expected: readonly string[]) =>
      until(
        `${action}: ${expected.join()}`,
        async () => ((await places(who)).join() === expected.join() ? true : undefined),
        WAIT_MS,
      );
    await shown(everywhere);
    await moderate(who, action);
    await shown(left);
    await moderate(who, undo);
    await shown(everywhere);
  }
});
