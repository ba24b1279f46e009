import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ServerProcess } from '../../kit/services/server-process.js';
import { until } from '../../kit/time/until.js';
import { makePeople, type Person } from '../cluster/people.js';
import { BrowserSessions } from '../requests/browser-sessions.js';

const PATH = '/settings/import';
/** Almost as many as anybody may block, so that a kill finds the import at work. */
const ROWS = 990;
const ENDED_MS_MAX = 180_000;

let server: ServerProcess;
let ann: Person;
before(async () => {
  server = await ServerProcess.start({ LOG_LEVEL: 'fatal' });
  [ann] = (await makePeople(server.dataDir, ['ann'])) as [Person];
});
after(() => server?.dispose());

async function page(path: string): Promise<string> {
  const { headers } = await new BrowserSessions(server.url, ann).session();
  return (await fetch(`${server.url}${path}`, { headers: { ...headers, accept: 'text/html' } })).text();
}

test('kill -9 in the middle of an import: it goes on after the start, ends, and does each row', async () => {
  const names = Array.from({ length: ROWS }, (_, one) => `d${one}.example`);
  const { headers, body } = await new BrowserSessions(server.url, ann).session();
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...body, kind: 'domain_blocks', mode: 'overwrite' }))
    form.set(name, value);
  form.set('data', new Blob([`#domain\nnot a server\n${names.join('\n')}\n`]), 'blocks.csv');
  const sent = await fetch(`${server.url}${PATH}`, {
    ...{ method: 'POST', body: form, redirect: 'manual' },
    headers: { ...headers, accept: 'text/html' },
  });
  assert.equal(sent.status, 303, await sent.text());
  // Nobody has the page open from here on, except to see how far the import is.
  const isHalfway = async () => Number(/(\d+) to go/.exec(await page(PATH))?.[1] ?? 0) % (ROWS + 1) > 1;
  await until('some rows', isHalfway, ENDED_MS_MAX);
  await server.kill();
  await server.restart();
  const shown = await until(
    'the end',
    async () => {
      const text = await page(PATH);
      return text.includes('The import is complete.') && text;
    },
    ENDED_MS_MAX,
  );
  assert.match(shown, new RegExp(`${ROWS} entries imported\\..*1 could not be imported`, 's'));
  assert.equal(await page('/settings/imports/domain_blocks.csv'), 'not a server\n');
  const blocked = (await page('/settings/exports/domain_blocks.csv')).trim().split('\n');
  assert.deepEqual(blocked.sort(), names.sort());
});
