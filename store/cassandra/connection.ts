import { auth, Client, errors, policies, types } from 'cassandra-driver';
import { Misconfigured, Unavailable } from '../../actors/domain/problem.js';
import type { WriteTimestamps } from '../write-timestamps.js';

export interface CassandraAddress {
  /** host or host:port; nodes found through them use the first one's port. */
  readonly contactPoints: readonly string[];
  readonly localDataCenter: string;
  /** Timestamps of this process's writes: of two writes to one row the later one wins. */
  readonly timestamps: WriteTimestamps;
  readonly username?: string;
  readonly password?: string;
}

const PORT = 9042;
/** A dead node costs one request this long; the next goes elsewhere. */
const READ_TIMEOUT_MS = 2_000;
/** A conditional write takes several rounds between replicas; one that is given up early is in doubt. */
export const CONDITIONAL_TIMEOUT_MS = 6_000;
const CONNECT_TIMEOUT_MS = 2_000;
/** A node that comes back is used again soon. */
const RECONNECT_MS = 500;
/** A replica that is slower than this gets competition; some ten times a usual read. */
const SPECULATE_AFTER_MS = 150;
/** Finds connections that died in silence (a paused host). */
const HEARTBEAT_MS = 2_000;

/** Gives the driver our own timestamps. */
class DriverTimestamps extends policies.timestampGeneration.MonotonicTimestampGenerator {
  constructor(private readonly timestamps: WriteTimestamps) {
    super(1_000, 1_000);
  }
  override next(): number {
    return this.timestamps.next();
  }
}

/** A connected client. @throws Unavailable when no contact point answers; Misconfigured when one refuses the settings */
export async function connectTo(address: CassandraAddress, keyspace?: string): Promise<Client> {
  const client = new Client({
    contactPoints: [...address.contactPoints],
    localDataCenter: address.localDataCenter,
    ...(keyspace !== undefined && { keyspace }),
    ...(address.username !== undefined && {
      authProvider: new auth.PlainTextAuthProvider(address.username, address.password ?? ''),
    }),
    protocolOptions: { port: Number(/:(\d+)$/.exec(address.contactPoints[0] ?? '')?.[1] ?? PORT) },
    pooling: { heartBeatInterval: HEARTBEAT_MS },
    socketOptions: { readTimeout: READ_TIMEOUT_MS, connectTimeout: CONNECT_TIMEOUT_MS },
    policies: {
      timestampGeneration: new DriverTimestamps(address.timestamps),
      reconnection: new policies.reconnection.ConstantReconnectionPolicy(RECONNECT_MS),
      speculativeExecution: new policies.speculativeExecution.ConstantSpeculativeExecutionPolicy(SPECULATE_AFTER_MS, 1),
    },
    queryOptions: {
      prepare: true,
      isIdempotent: true,
      consistency: types.consistencies.localQuorum,
      serialConsistency: types.consistencies.localSerial,
    },
    encoding: { useBigIntAsLong: true },
  });
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.shutdown();
    throw notConnected(address, error);
  }
}

function notConnected({ contactPoints, username }: CassandraAddress, error: unknown): Unavailable | Misconfigured {
  const causes = error instanceof errors.NoHostAvailableError ? Object.values(error.innerErrors ?? {}) : [error];
  const refusal = causes.find((cause) => cause instanceof errors.AuthenticationError);
  const points = contactPoints.join(', ');
  if (refusal !== undefined) {
    const user = username === undefined ? 'a node without CASSANDRA_USERNAME' : `CASSANDRA_USERNAME ${username}`;
    return new Misconfigured(`Cassandra at ${points} refuses ${user}: ${refusal.message}`, { cause: error });
  }
  // The driver says so when no host is in the data centre that is set.
  if (error instanceof errors.ArgumentError) {
    return new Misconfigured(`Cassandra at ${points}: ${error.message}; check CASSANDRA_LOCAL_DC`, { cause: error });
  }
  const messages = new Set(causes.map((cause) => (cause as Error).message));
  return new Unavailable(`no Cassandra at ${points}: ${[...messages].join('; ')}`, { cause: error });
}
