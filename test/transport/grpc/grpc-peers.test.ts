import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client, credentials, Metadata, Server, type ServiceError, type sendUnaryData, status } from '@grpc/grpc-js';
import { Unavailable } from '../../../actors/domain/problem.js';
import { systemClock } from '../../../actors/runtime/system.js';
import { GrpcPeers } from '../../../transport/grpc/grpc-peers.js';
import { FRAME_BYTES_MAX, peerProtocol, SECRET_KEY } from '../../../transport/grpc/peer-protocol.js';
import { type PeerSecurity, serverCredentials } from '../../../transport/grpc/peer-security.js';
import { PeerServer } from '../../../transport/grpc/peer-server.js';
import type { PeerService } from '../../../transport/peer.js';
import { eventually } from '../eventually.js';
import { peersContract, RecordingService, someStatus, warmSnapshot } from '../peers-contract.js';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const secret = 'a secret of the cluster';

interface Test {
  after(end: () => Promise<void>): void;
}

async function serve(t: Test, service: PeerService, security: PeerSecurity) {
  const server = new PeerServer(service, security, log, systemClock);
  const address = await server.listen('127.0.0.1:0');
  t.after(() => server.close());
  return { server, address };
}

function peersWith(t: Test, security: PeerSecurity): GrpcPeers {
  const peers = new GrpcPeers(security, systemClock);
  t.after(() => peers.close());
  return peers;
}

peersContract('gRPC peers', async (service, t) => {
  const { address } = await serve(t, service, { secret });
  return { peers: peersWith(t, { secret }), address, nowhere: '127.0.0.1:1' };
});

/** Makes a gRPC call as a stranger, with arbitrary bytes. */
function rawCall(
  t: Test,
  address: string,
  path: string,
  metadata: Metadata,
  bytes: Buffer,
): Promise<ServiceError | null> {
  const client = new Client(address, credentials.createInsecure());
  t.after(async () => client.close());
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      path,
      (value: Buffer) => value,
      (value) => value,
      bytes,
      metadata,
      { deadline: Date.now() + 5_000 },
      (error) => resolve(error),
    );
  });
}

test('a server or client without secret and certificates does not start', () => {
  assert.throws(() => new PeerServer(new RecordingService(), {}, log, systemClock), RangeError);
  assert.throws(() => new GrpcPeers({}, systemClock), RangeError);
});

test('a caller without the secret, with another one or with two is refused before any handler, and counted', async (t) => {
  const service = new RecordingService();
  const { server, address } = await serve(t, service, { secret });
  const none = new Metadata();
  const wrong = new Metadata();
  wrong.set(SECRET_KEY, `${secret}!`);
  const twice = new Metadata();
  twice.add(SECRET_KEY, secret);
  twice.add(SECRET_KEY, secret);
  for (const metadata of [none, wrong, twice]) {
    for (const method of ['Status', 'Drain', 'Operate', 'Handoff']) {
      const error = await rawCall(t, address, `/murmuration.node.Peer/${method}`, metadata, Buffer.alloc(0));
      assert.equal(error?.code, status.UNAUTHENTICATED);
    }
  }
  assert.equal(service.drains, 0);
  assert.equal(server.counts().unauthenticated, 12);
  await assert.rejects(peersWith(t, { secret: 'other' }).peer(address).status(), Unavailable);
  assert.equal((await peersWith(t, { secret }).peer(address).status()).name, 'n1');
});

test('malformed messages, and frames above the limit, are refused and counted, and the server continues', async (t) => {
  const service = new RecordingService();
  const { server, address } = await serve(t, service, { secret });
  const metadata = new Metadata();
  metadata.set(SECRET_KEY, secret);
  const path = '/murmuration.node.Peer/Handoff';
  const garbage = await rawCall(t, address, path, metadata, Buffer.alloc(100, 0xff));
  assert.equal(garbage?.code, status.INTERNAL);
  assert.equal(server.counts().garbage, 1);
  const before = server.counts().broken;
  const oversized = await rawCall(t, address, path, metadata, Buffer.alloc(FRAME_BYTES_MAX + 1));
  assert.equal(oversized?.code, status.RESOURCE_EXHAUSTED);
  await eventually('it is counted', () => server.counts().broken > before);
  const unknown = await rawCall(t, address, '/murmuration.node.Peer/Nothing', metadata, Buffer.alloc(0));
  assert.equal(unknown?.code, status.UNIMPLEMENTED);
  assert.deepEqual(service.actors, []);
  assert.equal((await peersWith(t, { secret }).peer(address).status()).name, 'n1');
});

test('a connection that does not speak HTTP/2 is closed, and the server continues', async (t) => {
  const { address } = await serve(t, new RecordingService(), { secret });
  const port = Number(address.split(':')[1]);
  for (const hello of [
    'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
    '\0'.repeat(100_000),
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nrubbish',
  ]) {
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.end(hello));
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
      socket.resume();
    });
  }
  assert.equal((await peersWith(t, { secret }).peer(address).status()).name, 'n1');
});

test('an activation above the frame limit is left to the store, the others arrive', async (t) => {
  const service = new RecordingService();
  const { address } = await serve(t, service, { secret });
  const summary = await peersWith(t, { secret })
    .peer(address)
    .handoff(
      (async function* () {
        for (const [actor, bytes] of [
          ['account/1', 10],
          ['account/2', FRAME_BYTES_MAX],
          ['account/3', 10],
        ] as const) {
          yield { actor, snapshot: warmSnapshot(1, bytes) };
        }
      })(),
    );
  assert.equal(summary.taken, 2);
  assert.deepEqual(service.actors, ['account/1', 'account/3']);
});

test('with certificates only those of the cluster’s authority may call', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'peers-'));
  t.after(async () => rmSync(folder, { recursive: true }));
  const [ours, theirs] = [authority(folder, 'ours'), authority(folder, 'theirs')];
  const { address } = await serve(t, new RecordingService(), { tls: ours });
  assert.equal((await peersWith(t, { tls: ours }).peer(address).status()).name, 'n1');
  await assert.rejects(
    peersWith(t, { tls: { ...theirs, ca: ours.ca } })
      .peer(address)
      .status(),
    Unavailable,
  );
  await assert.rejects(peersWith(t, { tls: theirs }).peer(address).status(), Unavailable);
  await assert.rejects(peersWith(t, { secret }).peer(address).status(), Unavailable);
});

/** Creates an authority, and a node's certificate by it for 127.0.0.1. */
function authority(folder: string, name: string) {
  const file = (suffix: string) => join(folder, `${name}-${suffix}`);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    file('ca.key'),
    '-out',
    file('ca.pem'),
    '-subj',
    `/CN=${name}`,
    '-days',
    '2',
  );
  openssl('req', ...key, '-keyout', file('node.key'), '-out', file('node.csr'), '-subj', '/CN=node');
  writeFileSync(file('ext'), 'subjectAltName=IP:127.0.0.1');
  const signing = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial', '-extfile', file('ext')];
  openssl('x509', '-req', '-in', file('node.csr'), ...signing, '-out', file('node.pem'), '-days', '2');
  return {
    ca: readFileSync(file('ca.pem')),
    cert: readFileSync(file('node.pem')),
    key: readFileSync(file('node.key')),
  };
}

test('a node that hangs, and one whose program is older, have no load but answer other calls', async (t) => {
  const hanging = new RecordingService();
  hanging.load = () => new Promise(() => undefined);
  const { address } = await serve(t, hanging, { secret });
  const older = new Server();
  const { status: statusOnly } = peerProtocol();
  older.addService(
    { status: statusOnly },
    { status: (_call: unknown, reply: sendUnaryData<unknown>) => reply(null, someStatus) },
  );
  const port = await new Promise<number>((resolve, reject) =>
    older.bindAsync('127.0.0.1:0', serverCredentials({ secret }), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  t.after(async () => older.forceShutdown());
  const peers = peersWith(t, { secret });
  const startedMs = performance.now();
  for (const place of [address, `127.0.0.1:${port}`]) {
    await assert.rejects(peers.peer(place).load(), Unavailable);
    assert.equal((await peers.peer(place).status()).name, 'n1');
  }
  assert.ok(performance.now() - startedMs < 4_500, 'a page does not wait for longer than 2 s');
});
