import { auth, Client, type ClientOptions, errors, policies, types } from 'cassandra-driver';
import { Misconfigured, Unavailable } from '../../actors/domain/problem.js';
import type { WriteTimestamps } from '../write-timestamps.js';

export interface CassandraAddress {
  /** host or host:port; nodes discovered through them use the port of the first one. */
  readonly contactPoints: readonly string[];
  readonly localDataCenter: string;
  /** Timestamps of this process's writes: the later of two writes to a row wins. */
  readonly timestamps: WriteTimestamps;
  readonly username?: string;
  readonly password?: string;
}

const PORT = 9042;
/** A dead node costs a request this long; the driver then tries another node. */
const READ_TIMEOUT_MS = 2_000;
/** A conditional write takes several rounds between replicas; giving up early leaves its outcome unknown. */
export const CONDITIONAL_TIMEOUT_MS = 6_000;
const CONNECT_TIMEOUT_MS = 2_000;
/** Short, so that a node that returns is used again soon. */
const RECONNECT_MS = 500;
/** Delay before the driver asks a second replica: some ten times a usual read. */
const SPECULATE_AFTER_MS = 150;
/** Detects connections that died without a reset (a paused host). */
const HEARTBEAT_MS = 2_000;

/** Gives the driver the timestamps of WriteTimestamps. */
class DriverTimestamps extends policies.timestampGeneration.MonotonicTimestampGenerator {
  constructor(private readonly timestamps: WriteTimestamps) {
    super(1_000, 1_000);
  }
  override next(): number {
    return this.timestamps.next();
  }
}

/** Connects a client. @throws Unavailable when no contact point answers; Misconfigured when one rejects the settings */
export const connectTo = (address: CassandraAddress, keyspace: string): Promise<Client> =>
  connected(address, { keyspace });

/**
 * Connects a client for definitions. The driver would look after each one if all Cassandra nodes know it, and wait
 * 500 ms otherwise, which they always need with several nodes; ensureTables waits once for all definitions.
 * @throws as connectTo
 */
export const connectToDefine = (address: CassandraAddress): Promise<Client> =>
  connected(address, { isMetadataSyncEnabled: false, protocolOptions: { maxSchemaAgreementWaitSeconds: 0 } });

async function connected(address: CassandraAddress, { protocolOptions, ...own }: ClientOptions): Promise<Client> {
  const client = new Client({
    contactPoints: [...address.contactPoints],
    localDataCenter: address.localDataCenter,
    ...own,
    ...(address.username !== undefined && {
      authProvider: new auth.PlainTextAuthProvider(address.username, address.password ?? ''),
    }),
    protocolOptions: { port: Number(/:(\d+)$/.exec(address.contactPoints[0] ?? '')?.[1] ?? PORT), ...protocolOptions },
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
  // The driver reports this when no host is in the configured data centre.
  if (error instanceof errors.ArgumentError) {
    return new Misconfigured(`Cassandra at ${points}: ${error.message}; check CASSANDRA_LOCAL_DC`, { cause: error });
  }
  const messages = new Set(causes.map((cause) => (cause as Error).message));
  return new Unavailable(`no Cassandra at ${points}: ${[...messages].join('; ')}`, { cause: error });
}
