import { once } from 'node:events';
import {
  type CallOptions,
  Client,
  type ClientWritableStream,
  type MethodDefinition,
  type ServiceError,
} from '@grpc/grpc-js';
import { Unavailable } from '../../actors/domain/problem.js';
import type { Clock } from '../../actors/domain/time.js';
import type { NodeHandoffChunk, NodeHandoffSummary, NodeOperated, NodeOperation } from '../../proto/gen/types.js';
import type { PeerService, Peers } from '../peer.js';
import { FRAME_BYTES_MAX, handoffChunk, peerProtocol } from './peer-protocol.js';
import { callMetadata, channelCredentials, checkSecurity, type PeerSecurity } from './peer-security.js';

/**
 * Maximum number of open connections, as many as a cluster has members; past it the least recently used one is closed.
 */
export const PEERS_MAX = 256;
/** Timeout of a call that a live node answers from memory. */
const CALL_MS_MAX = 5_000;
/** Timeout of the load: a page for people waits for that of each node. */
const LOAD_MS_MAX = 2_000;
/** Timeout of an operation of the command line: hashing passwords takes time, and many operations may queue. */
const OPERATION_MS_MAX = 60_000;
/** Timeout of a handoff: after it the new owner has long needed the shards. */
const HANDOFF_MS_MAX = 15_000;
/** Maximum reconnection delay: a peer that restarts returns soon. */
const RECONNECT_MS_MAX = 1_000;

const protocol = peerProtocol();

/** Calls to other nodes over gRPC; one connection per address, opened on demand. */
export class GrpcPeers implements Peers {
  private readonly clients = new Map<string, Client>();
  private open = true;

  /** @param clock gRPC compares deadlines with the machine's own wall clock */
  constructor(
    private readonly security: PeerSecurity,
    private readonly clock: Pick<Clock, 'wallMs'>,
  ) {
    checkSecurity(security);
  }

  peer(address: string): PeerService {
    return {
      status: () => this.ask(address, protocol.status, {}, CALL_MS_MAX),
      load: () => this.ask(address, protocol.load, {}, LOAD_MS_MAX),
      drain: () => this.ask(address, protocol.drain, {}, CALL_MS_MAX),
      handoff: (chunks) => this.handoff(address, chunks),
    };
  }

  /**
   * Runs an operation on a node. @throws Unavailable, also when the node accepts no operations; the outcome is then
   * unknown
   */
  operate(address: string, operation: NodeOperation): Promise<NodeOperated> {
    return this.ask(address, protocol.operate, operation, OPERATION_MS_MAX);
  }

  async close(): Promise<void> {
    this.open = false;
    for (const client of this.clients.values()) client.close();
    this.clients.clear();
  }

  private ask<In, Out>(
    address: string,
    method: MethodDefinition<In, Out>,
    question: In,
    timeoutMs: number,
  ): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.client(address).makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        question,
        callMetadata(this.security),
        this.deadline(timeoutMs),
        (error, answer) => (answer === undefined ? reject(asUnavailable(address, error)) : resolve(answer)),
      );
    });
  }

  private handoff(address: string, chunks: AsyncIterable<NodeHandoffChunk>): Promise<NodeHandoffSummary> {
    return new Promise((resolve, reject) => {
      const { path, requestSerialize, responseDeserialize } = protocol.handoff;
      const call = this.client(address).makeClientStreamRequest(
        path,
        requestSerialize,
        responseDeserialize,
        callMetadata(this.security),
        this.deadline(HANDOFF_MS_MAX),
        (error, summary) => (summary === undefined ? reject(asUnavailable(address, error)) : resolve(summary)),
      );
      send(call, chunks).catch((error: unknown) => {
        call.cancel();
        reject(asUnavailable(address, error));
      });
    });
  }

  private deadline(timeoutMs: number): CallOptions {
    return { deadline: this.clock.wallMs() + timeoutMs };
  }

  private client(address: string): Client {
    if (!this.open) throw new Unavailable('calls to peers are closed');
    const known = this.clients.get(address);
    const client =
      known ??
      new Client(address, channelCredentials(this.security), {
        'grpc.max_receive_message_length': FRAME_BYTES_MAX,
        'grpc.max_reconnect_backoff_ms': RECONNECT_MS_MAX,
        'grpc.enable_channelz': 0,
      });
    this.clients.delete(address);
    this.clients.set(address, client);
    const oldest = this.clients.keys().next();
    if (this.clients.size > PEERS_MAX && !oldest.done) {
      this.clients.get(oldest.value)?.close();
      this.clients.delete(oldest.value);
    }
    return client;
  }
}

/**
 * Sends no faster than the peer reads. Drops a chunk above the frame limit: the peer reads that state from the store.
 */
async function send(call: ClientWritableStream<NodeHandoffChunk>, chunks: AsyncIterable<NodeHandoffChunk>) {
  let over = false;
  const ended = new Promise<void>((resolve) => {
    call.once('status', () => {
      over = true;
      resolve();
    });
  });
  for await (const chunk of chunks) {
    if (over) return;
    if (handoffChunk.encode(chunk).length > FRAME_BYTES_MAX) continue;
    if (!call.write(chunk)) await Promise.race([once(call, 'drain'), ended]);
  }
  call.end();
}

function asUnavailable(address: string, cause: ServiceError | unknown): Unavailable {
  return new Unavailable(`the node at ${address}: ${(cause as Error | null)?.message ?? 'no answer'}`, { cause });
}
