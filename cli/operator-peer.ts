import { Unavailable } from '../actors/domain/problem.js';
import type { NodeOperated, NodeOperation } from '../proto/gen/types.js';
import type { GrpcPeers } from '../transport/grpc/grpc-peers.js';
import { type OperationName, Refused } from './operations.js';
import { INPUT_BYTES_MAX, type Operate } from './operator-socket.js';
import type { Settings } from './settings.js';

/** Runs an operation for an operator who calls over gRPC: a refusal is an answer, any other error fails the call. */
export async function answerOperation(run: Operate, { name, input }: NodeOperation): Promise<NodeOperated> {
  try {
    if (Buffer.byteLength(input) > INPUT_BYTES_MAX) throw new Refused('too much input');
    return { output: JSON.stringify(await run(name as OperationName, JSON.parse(input))) };
  } catch (error) {
    if (error instanceof Refused || error instanceof SyntaxError) return { output: '', refusal: error.message };
    throw error;
  }
}

/** Opens calls to the settings' cluster for the duration of the action. @throws Refused without credentials */
export async function withPeers(settings: Settings, action: (peers: GrpcPeers) => Promise<void>): Promise<void> {
  const [{ GrpcPeers }, { peerSecurity }, { systemClock }] = await Promise.all([
    import('../transport/grpc/grpc-peers.js'),
    import('../compose/membership.js'),
    import('../actors/runtime/system.js'),
  ]);
  const security = await peerSecurity(settings);
  if (security === undefined) throw new Refused('--node needs the cluster secret (or the CLUSTER_TLS files)');
  const peers = new GrpcPeers(security, systemClock);
  try {
    await action(peers);
  } finally {
    await peers.close();
  }
}

/** Returns a client of the node at this gRPC address. */
export function peerClient(peers: GrpcPeers, address: string): Operate {
  return async (name, input) => {
    const { output, refusal } = await peers.operate(address, { name, input: JSON.stringify(input) });
    if (refusal !== undefined) throw new Refused(refusal);
    return JSON.parse(output);
  };
}

/** Refuses operations until the node has started. */
export const notYet: Operate = async () => {
  throw new Unavailable('the node is starting');
};
