import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Certificate, certificateIn } from '../../kit/network/certificate.js';

const script = fileURLToPath(new URL('./fetch-and-deliver.js', import.meta.url));
let folder: string;
let known: Certificate;
let [trusted, foreign]: (Server | undefined)[] = [];
const asked: string[] = [];

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-tls-'));
  known = certificateIn(folder, 'trusted');
  [trusted, foreign] = [await listen(known), await listen(certificateIn(folder, 'foreign'))];
});
after(async () => {
  await Promise.all([trusted, foreign].map((server) => server && new Promise((closed) => server.close(closed))));
  rmSync(folder, { recursive: true, force: true });
});

async function listen({ key, cert }: Certificate): Promise<Server> {
  const server = createServer({ key, cert }, (request, response) => {
    asked.push(`${request.method} ${request.headers.host}`);
    request
      .resume()
      .on('end', () => response.writeHead(200, { 'content-type': 'application/activity+json' }).end('{}'));
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  return server;
}

const hostOf = (server: Server | undefined) => `127.0.0.1:${((server as Server).address() as AddressInfo).port}`;

test('requests go over TLS to servers whose certificates the environment trusts, and to no others', async () => {
  const [here, there] = [hostOf(trusted), hostOf(foreign)];
  const environment = { ...process.env, NODE_EXTRA_CA_CERTS: known.path };
  const addresses = [`https://${here}/1`, `https://${there}/1`];
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...addresses], { env: environment });
  assert.deepEqual(JSON.parse(stdout), [
    { kind: 'object', url: `https://${here}/1`, value: {} },
    { kind: 'delivered', status: 200, scheme: 'cavage' },
    { kind: 'failed', reason: 'unreachable' },
    { kind: 'later', reason: 'unreachable' },
  ]);
  assert.deepEqual(asked, [`GET ${here}`, `POST ${here}`]);
});
