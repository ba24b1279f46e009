import type { MethodDefinition } from '@grpc/grpc-js';
import { type Codec, codec } from '../../proto/codec.js';
import type {
  NodeEmpty,
  NodeHandoffChunk,
  NodeHandoffSummary,
  NodeNodeLoad,
  NodeNodeStatus,
  NodeOperated,
  NodeOperation,
} from '../../proto/gen/types.js';

/**
 * Maximum size of a message between nodes: above any snapshot that is worth sending ahead. It bounds the bytes that a
 * stranger can make a node buffer.
 */
export const FRAME_BYTES_MAX = 4 * 1_048_576;
/** Maximum size of the metadata, which carries the secret and little else. */
export const METADATA_BYTES_MAX = 8_192;
/** The metadata key of the cluster's secret. */
export const SECRET_KEY = 'murmuration-secret';

const empty = codec('murmuration.node.Empty');
const status = codec('murmuration.node.NodeStatus');
export const handoffChunk = codec('murmuration.node.HandoffChunk');
const load = codec('murmuration.node.NodeLoad');
const operation = codec('murmuration.node.Operation');
const operated = codec('murmuration.node.Operated');
const summary = codec('murmuration.node.HandoffSummary');

/** The service murmuration.node.Peer of node.proto. Calls `onGarbage` for bytes that are not the expected message. */
export function peerProtocol(onGarbage: () => void = () => undefined) {
  return {
    status: method<NodeEmpty, NodeNodeStatus>('Status', false, empty, status, onGarbage),
    load: method<NodeEmpty, NodeNodeLoad>('Load', false, empty, load, onGarbage),
    drain: method<NodeEmpty, NodeNodeStatus>('Drain', false, empty, status, onGarbage),
    operate: method<NodeOperation, NodeOperated>('Operate', false, operation, operated, onGarbage),
    handoff: method<NodeHandoffChunk, NodeHandoffSummary>('Handoff', true, handoffChunk, summary, onGarbage),
  };
}

function method<In, Out>(
  name: string,
  requestStream: boolean,
  request: Codec<In>,
  response: Codec<Out>,
  onGarbage: () => void,
): MethodDefinition<In, Out> {
  return {
    path: `/murmuration.node.Peer/${name}`,
    requestStream,
    responseStream: false,
    requestSerialize: (value) => Buffer.from(request.encode(value)),
    requestDeserialize: reading(request, onGarbage),
    responseSerialize: (value) => Buffer.from(response.encode(value)),
    responseDeserialize: reading(response, onGarbage),
  };
}

function reading<T>(message: Codec<T>, onGarbage: () => void): (bytes: Buffer) => T {
  return (bytes) => {
    try {
      return message.decode(bytes);
    } catch (error) {
      onGarbage();
      throw error;
    }
  };
}
