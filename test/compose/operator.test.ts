import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../actors/runtime/system.js';
import { CLUSTER } from '../../compose/membership.js';
import { operatorOf } from '../../compose/operating/operator.js';
import type { StoreMemberRecord } from '../../proto/gen/types.js';
import type { Tables } from '../../store/port.js';
import { members } from '../../store/tables.js';
import { GrpcPeers } from '../../transport/grpc/grpc-peers.js';
import { PeerServer } from '../../transport/grpc/peer-server.js';
import { TestServer } from '../kit/services/server.js';
import { RecordingService, someLoad } from '../transport/peers-contract.js';

const secret = 'a secret of the cluster';
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

test('operators see the load of the nodes that answer, and which nodes do not', async (t) => {
  const server = await TestServer.start();
  t.after(() => server.stop());
  const peers = new GrpcPeers({ secret }, systemClock);
  t.after(() => peers.close());
  const at = async (service: RecordingService) => {
    const listening = new PeerServer(service, { secret }, log, systemClock);
    t.after(() => listening.close());
    return listening.listen('127.0.0.1:0');
  };
  const hanging = new RecordingService();
  hanging.load = () => new Promise(() => undefined);
  const { node } = server;
  const member = (name: string, grpcAddress: string, state = 'up'): StoreMemberRecord => ({
    ...{ name, grpcAddress, state, incarnation: name, beat: 1, baseUrl: '', clockMs: 0, leaseMs: 0 },
    ...{ version: '0.0', format: 1 },
  });
  const rows = [
    member('z-answers', await at(new RecordingService())),
    member('z-hangs', await at(hanging)),
    member('z-left', '127.0.0.1:1', 'gone'),
    member('z-missing', '127.0.0.1:1'),
  ];
  const tables = node.services.tables as Tables;
  for (const row of rows) await tables.compareAndSet(members, { cluster: CLUSTER, name: row.name }, undefined, row);
  const operator = operatorOf(() => ({ ...node, loadAt: (address) => peers.peer(address).load() }));
  const nodes = await operator.nodes();
  assert.deepEqual(
    nodes.filter(({ isSelf }) => !isSelf).map(({ name, load }) => [name, load]),
    [
      ['z-answers', someLoad],
      ['z-hangs', undefined],
      ['z-left', undefined],
      ['z-missing', undefined],
    ],
  );
  const self = nodes.filter(({ isSelf }) => isSelf);
  assert.deepEqual(
    self.map(({ name, load }) => [name, load?.status?.shards]),
    [[node.status().name, 1_024]],
  );
});
