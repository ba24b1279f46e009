import {
  Server,
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServerReadableStream,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { Unavailable } from '../../actors/domain/problem.js';
import type { Clock } from '../../actors/domain/time.js';
import type { NodeHandoffChunk, NodeHandoffSummary, NodeOperated, NodeOperation } from '../../proto/gen/types.js';
import type { OperatorService, PeerService } from '../peer.js';
import type { TransportLog } from '../transport-log.js';
import { FRAME_BYTES_MAX, METADATA_BYTES_MAX, peerProtocol } from './peer-protocol.js';
import { checkSecurity, isAuthentic, type PeerSecurity, serverCredentials } from './peer-security.js';

/** Maximum number of concurrent calls on one connection: a peer's handoffs and an operator's questions. */
const CALLS_PER_CONNECTION_MAX = 64;
/** Maximum number of concurrent handoffs: one from each node of a cluster that shrinks by many. */
export const HANDOFFS_MAX = 64;
/** Interval of pings; a connection that does not answer them is closed. */
const KEEPALIVE_MS = 20_000;
/** Time that running calls have to end when the server stops. */
const SHUTDOWN_MS_MAX = 2_000;

/** Refused calls since the start, for the metrics. */
export interface PeerCounts {
  /** Calls without the secret, or with a wrong one. */
  readonly unauthenticated: number;
  /** Messages that could not be decoded. */
  readonly garbage: number;
  /** Calls that ended before their answer: frames above the limit, callers that disconnected. */
  readonly broken: number;
}

/** Serves murmuration.node.Peer to nodes and operators that know the secret or have a certificate. */
export class PeerServer {
  private readonly server: Server;
  private unauthenticated = 0;
  private garbage = 0;
  private broken = 0;
  private handoffs = 0;

  constructor(
    private readonly service: PeerService,
    private readonly security: PeerSecurity,
    private readonly log: TransportLog,
    private readonly clock: Pick<Clock, 'after'>,
    private readonly operate: OperatorService = async () => {
      throw new Unavailable('this node accepts no operations over the network');
    },
  ) {
    checkSecurity(security);
    this.server = new Server({
      'grpc.max_receive_message_length': FRAME_BYTES_MAX,
      'grpc.max_metadata_size': METADATA_BYTES_MAX,
      'grpc.max_concurrent_streams': CALLS_PER_CONNECTION_MAX,
      'grpc.keepalive_time_ms': KEEPALIVE_MS,
      'grpc.enable_channelz': 0,
      interceptors: [this.guard()],
    });
    this.server.addService(
      peerProtocol(() => {
        this.garbage += 1;
      }),
      {
        status: (_call: unknown, reply: sendUnaryData<unknown>) => this.answer(() => this.service.status(), reply),
        load: (_call: unknown, reply: sendUnaryData<unknown>) => this.answer(() => this.service.load(), reply),
        drain: (_call: unknown, reply: sendUnaryData<unknown>) => this.answer(() => this.service.drain(), reply),
        operate: ({ request }: ServerUnaryCall<NodeOperation, NodeOperated>, reply: sendUnaryData<NodeOperated>) =>
          this.answer(() => this.operate(request), reply),
        handoff: (
          call: ServerReadableStream<NodeHandoffChunk, NodeHandoffSummary>,
          reply: sendUnaryData<NodeHandoffSummary>,
        ) => this.answer(() => this.handoff(call), reply),
      },
    );
  }

  /** Listens. Returns the address with the bound port. @param address host:port; port 0 binds any free port */
  listen(address: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.server.bindAsync(address, serverCredentials(this.security), (error, port) => {
        if (error) reject(new Unavailable(`failed to listen on ${address}: ${error.message}`, { cause: error }));
        else resolve(`${address.slice(0, address.lastIndexOf(':'))}:${port}`);
      });
    });
  }

  counts(): PeerCounts {
    return { unauthenticated: this.unauthenticated, garbage: this.garbage, broken: this.broken };
  }

  /** Stops the server: gives running calls a moment to end, then aborts them. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      const force = this.clock.after(SHUTDOWN_MS_MAX, () => this.server.forceShutdown());
      this.server.tryShutdown(() => {
        force.cancel();
        resolve();
      });
    });
  }

  private async handoff(chunks: AsyncIterable<NodeHandoffChunk>): Promise<NodeHandoffSummary> {
    if (this.handoffs >= HANDOFFS_MAX) throw new Unavailable('too many handoffs at a time');
    this.handoffs += 1;
    try {
      return await this.service.handoff(chunks);
    } finally {
      this.handoffs -= 1;
    }
  }

  private async answer<T>(work: () => Promise<T>, reply: sendUnaryData<T>): Promise<void> {
    try {
      reply(null, await work());
    } catch (error) {
      const unavailable = error instanceof Unavailable;
      this.log.warn({ err: error }, 'failed to handle a call of a peer');
      // Only this node's log gets the details of a bug.
      reply({ code: unavailable ? status.UNAVAILABLE : status.INTERNAL, details: unavailable ? error.message : '' });
    }
  }

  /** Refuses unauthenticated callers before any handler runs, for every method. */
  private guard(): ServerInterceptor {
    return (_method, call) => {
      let answered = false;
      const refuse = () => {
        this.unauthenticated += 1;
        answered = true;
        this.log.warn({ from: call.getPeer() }, 'refused a call without the right secret');
        call.sendStatus({ code: status.UNAUTHENTICATED, details: 'the secret is missing or wrong' });
      };
      return new ServerInterceptingCall(call, {
        start: (next) =>
          next({
            onReceiveMetadata: (metadata, pass) => (isAuthentic(this.security, metadata) ? pass(metadata) : refuse()),
            onReceiveMessage: (message, pass) => pass(message),
            onReceiveHalfClose: (pass) => pass(),
            onCancel: () => {
              if (!answered) this.broken += 1;
            },
          }),
        sendStatus: (outcome, next) => {
          answered = true;
          next(outcome);
        },
      });
    };
  }
}
