import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { ALARM_LANES, alarmDay } from '../../actors/domain/alarm.js';
import { FORGET_ALARM } from '../../actors/runtime/activation/forgetting.js';
import { systemClock } from '../../actors/runtime/system.js';
import type { Settings } from '../../cli/settings.js';
import { compactStore } from '../../store/lmdb/compact-store.js';
import { RANGE_LIMIT_MAX } from '../../store/port.js';
import { alarms } from '../../store/tables.js';
import { bytesOfKeyspace, cassandraSettings, dropKeyspace } from '../kit/services/cassandra.js';
import { type Person, TestServer } from '../kit/services/server.js';
import { bytesOfFolder, placesOf, type StoredPiece } from '../kit/services/stored-bytes.js';
import { until } from '../kit/time/until.js';

const DAY_MS = 86_400_000;
const WAIT_MS_MAX = 60_000;
/** Text that is not deleted, to prove that the search finds stored text. */
const KEPT = 'words of a status that stays';
/** Part of the text of a mail. */
const MAIL = 'Your password was changed';
const SECRETS: Readonly<Record<string, string>> = {
  'a deleted status': 'words of a deleted status',
  'a deleted draft': 'words of a deleted draft',
  'a deleted filter': 'title of a deleted filter',
  'a word of a deleted filter': 'word of a deleted filter',
  'a removed word of a filter': 'removed word of a filter',
  'a deleted list': 'title of a deleted list',
  'a deleted collection': 'name of a deleted collection',
  'an erased note': 'words of an erased note',
  'a deleted upload': 'description of a deleted upload',
  'a mail that was sent': MAIL,
};
/**
 * Offset of both clocks (ms): replies with an idempotency key expire by the later of them. It never decreases, because
 * this process's clocks never go back.
 */
let aheadMs = 0;
const wall = Date.now;
const monotonic = performance.now.bind(performance);
before(() => {
  Date.now = () => wall() + aheadMs;
  performance.now = () => monotonic() + aheadMs;
});
after(() => {
  Date.now = wall;
  performance.now = monotonic;
});

const secret = (what: string): string => SECRETS[what] ?? '';

async function made(answer: Promise<{ readonly status: number; readonly body: { id: string } }>) {
  const { status, body } = await answer;
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function uploaded(server: TestServer, ada: Person): Promise<string> {
  const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#0a0' } })
    .png()
    .toBuffer();
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(png)], { type: 'image/png' }), 'file.png');
  form.append('description', secret('a deleted upload'));
  const headers = { authorization: `Bearer ${ada.token}` };
  const answer = await server.send(`/api/v1/media`, { method: 'POST', headers, body: form });
  assert.equal(answer.status, 200);
  return ((await answer.json()) as { id: string }).id;
}

/** Has Ada create all of it. Returns the function that deletes it. */
async function written(server: TestServer, ada: Person, ben: Person): Promise<() => Promise<void>> {
  await ada.says(KEPT);
  const status = await ada.says(secret('a deleted status'));
  const later = new Date(Date.now() + DAY_MS).toISOString();
  const draft = await made(ada.post('/api/v1/statuses', { status: secret('a deleted draft'), scheduled_at: later }));
  const words = (title: string, ...keywords: string[]) => ({
    ...{ title, context: ['home'] },
    keywords_attributes: keywords.map((keyword) => ({ keyword })),
  });
  const filter = await made(
    ada.post('/api/v2/filters', words(secret('a deleted filter'), secret('a word of a deleted filter'))),
  );
  const kept = await made(ada.post('/api/v2/filters', words('kept', 'kept', secret('a removed word of a filter'))));
  const removed = (kept as unknown as { keywords: { id: string }[] }).keywords[1]?.id ?? '';
  const list = await made(ada.post('/api/v1/lists', { title: secret('a deleted list') }));
  const collected = { name: secret('a deleted collection'), description: '', discoverable: false, sensitive: false };
  const collection = await ada.post('/api/v1/collections', collected);
  assert.equal(collection.status, 200, JSON.stringify(collection.body));
  await made(ada.post(`/api/v1/accounts/${ben.id}/note`, { comment: secret('an erased note') }));
  const upload = await uploaded(server, ada);
  return async () => {
    for (const path of [
      `/api/v1/statuses/${status}`,
      `/api/v1/scheduled_statuses/${draft.id}`,
      `/api/v2/filters/${filter.id}`,
      `/api/v2/filters/keywords/${removed}`,
      `/api/v1/lists/${list.id}`,
      `/api/v1/collections/${collection.body.collection.id}`,
      `/api/v1/media/${upload}`,
    ])
      assert.equal((await ada.remove(path)).status, 200, path);
    await made(ada.post(`/api/v1/accounts/${ben.id}/note`, { comment: '' }));
    // A new password revokes her tokens, too.
    await server.node.services.askAccount(ada.id, 'changePassword', { passwordHash: 'another hash' });
  };
}

/** Returns the actors with an alarm within three days to forget their past. */
async function toForget(server: TestServer): Promise<string[]> {
  const { tables } = server.node.services;
  const today = alarmDay(Date.now());
  const found: string[] = [];
  for (let lane = 0; lane < ALARM_LANES; lane++)
    for (const day of [today, today + 1, today + 2]) {
      const rows = await tables.range(alarms, { lane, day }, { limit: RANGE_LIMIT_MAX });
      found.push(...rows.filter(({ key }) => key.what === FORGET_ALARM).map(({ key }) => key.actor));
    }
  return found.sort();
}

function stillThere(pieces: readonly StoredPiece[]): string[] {
  assert.notDeepEqual(placesOf(KEPT, pieces), []);
  return Object.entries(SECRETS).flatMap(([what, text]) =>
    [...new Set(placesOf(text, pieces))].map((place) => `${what}: ${place}`),
  );
}

/** Creates and deletes the data, lets days pass, and searches the store after the node has ended. */
async function forgotten(settings: Partial<Settings>, stored: (server: TestServer) => Promise<StoredPiece[]>) {
  const server = await TestServer.start(settings);
  try {
    const [ada, ben] = [await server.person('ada'), await server.person('ben')];
    const takeBack = await written(server, ada, ben);
    await takeBack();
    const actors = [`account/${ada.id}`, `mailbox/${ada.id}`];
    const isKnown = async () => {
      const found = await toForget(server);
      return actors.every((actor) => found.includes(actor)) && found.some((one) => one.startsWith('conversation/'));
    };
    await until('all are to forget', async () => (await isKnown()) || undefined, WAIT_MS_MAX);
    const waiting = await toForget(server);
    aheadMs += 3 * DAY_MS;
    for (const actor of waiting) {
      const [kind = '', id = ''] = actor.split('/');
      await server.node.runtime.ask(kind, id, 'alarm', { what: FORGET_ALARM, atMs: 0 }, undefined, WAIT_MS_MAX);
    }
  } finally {
    await server.node.drain();
  }
  assert.deepEqual(stillThere(await stored(server)), []);
  await rm(server.folder, { recursive: true, force: true });
}

const quiet = { info() {}, warn() {}, error() {} };

test('deleted data and sent mails are in no byte of a compacted embedded store', () =>
  forgotten({}, async (server) => {
    const folder = join(server.folder, 'store');
    await compactStore({ folder, clock: systemClock, log: quiet });
    return bytesOfFolder(folder);
  }));

test('deleted data and sent mails are in no row of a Cassandra keyspace', async () => {
  const keyspace = `forgotten_${randomBytes(6).toString('hex')}`;
  try {
    await forgotten({ ...cassandraSettings(keyspace), CLUSTER_SECRET: 'a secret of this cluster' }, () =>
      bytesOfKeyspace(keyspace),
    );
  } finally {
    await dropKeyspace(keyspace);
  }
});
