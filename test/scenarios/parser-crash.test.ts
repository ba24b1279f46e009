import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { resourceUse } from '../../parsers/resource-use.js';
import { ServerProcess } from '../kit/services/server-process.js';
import { until } from '../kit/time/until.js';
import { makePeople, type Person } from './cluster/people.js';

/** Timeout of the start of a parser process, which takes less than a second even on a busy machine. */
const BEGIN_MS_MAX = 30_000;
/** CPU time after which a parser is in the middle of the large picture, which takes ten times as much. */
const AMID_CPU_MS = 150;

let server: ServerProcess;
let ada: Person;
let small: Buffer;
let large: Buffer;

before(async () => {
  server = await ServerProcess.start();
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
  const raw = { width: 6_000, height: 4_000, channels: 3 } as const;
  // Noise takes an encoder longest.
  large = await sharp(randomBytes(raw.width * raw.height * raw.channels), { raw })
    .webp({ quality: 20, effort: 0 })
    .toBuffer();
  small = await sharp({ create: { width: 90, height: 60, channels: 3, background: '#0a0' } })
    .png()
    .toBuffer();
});
after(() => server?.dispose());

async function upload(bytes: Buffer, path = '/api/v1/media'): Promise<number> {
  const form = new FormData();
  form.append('file', new Blob([Buffer.from(bytes)]), 'file');
  const headers = { authorization: `Bearer ${ada.token}` };
  return (await fetch(server.url + path, { method: 'POST', headers, body: form })).status;
}

/** Returns the parser processes with their CPU times. */
function parsers(): Map<number, number> {
  const text = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'latin1');
  const pids = text.split(' ').filter(Boolean).map(Number);
  return new Map(pids.map((pid) => [pid, resourceUse(pid)?.cpuMs ?? 0]));
}

const stored = () =>
  readdirSync(join(server.dataDir, 'media'), { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    .length;

/** Returns the parser that has started on the last upload. */
async function busyParser(before: ReadonlyMap<number, number>): Promise<number> {
  const begun = () => [...parsers()].find(([pid, cpuMs]) => cpuMs - (before.get(pid) ?? 0) >= AMID_CPU_MS)?.[0];
  return until('a parser amid its work', async () => begun(), BEGIN_MS_MAX);
}

for (const signal of ['SIGKILL', 'SIGSEGV'] as const)
  test(`a parser that ends by ${signal} during an upload fails only that upload`, async () => {
    assert.equal(await upload(small), 200);
    const [before, kept] = [parsers(), stored()];
    const broken = upload(large);
    const pid = await busyParser(before);
    const other = upload(small);
    process.kill(pid, signal);
    assert.equal(await broken, 422);
    assert.equal(await other, 200);
    assert.equal(stored(), kept + 2, 'nothing is left of the broken upload');
    assert.equal(await upload(small), 200);
    assert.equal((await fetch(`${server.url}/health`)).status, 200);
  });

test('a parser that ended between two uploads fails none of them', async () => {
  for (let round = 0; round < 10; round++) {
    assert.equal(await upload(small), 200, `round ${round}`);
    for (const pid of parsers().keys()) process.kill(pid, 'SIGKILL');
  }
  assert.deepEqual([await upload(small), await upload(small)], [200, 200]);
});

test('an upload that is processed after the answer fails alone when its parser ends', async () => {
  assert.equal(await upload(small), 200);
  const before = parsers();
  assert.equal(await upload(large, '/api/v2/media'), 202);
  process.kill(await busyParser(before), 'SIGKILL');
  assert.equal(await upload(small, '/api/v2/media'), 200);
  assert.equal(server.running, true);
});
