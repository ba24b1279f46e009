import { join } from 'node:path';
import type { Logger as PinoLogger } from 'pino';
import type { Clock } from '../actors/domain/time.js';
import type { Settings } from '../cli/settings.js';
import type { MediaStore } from '../store/media.js';
import type { Tables } from '../store/port.js';
import type { WriteTimestamps } from '../store/write-timestamps.js';
import type { Bus } from '../transport/bus.js';

/** Opens the store of the settings. What an embedded node does not need is not even loaded. */
export async function openStore(
  settings: Settings,
  log: PinoLogger,
  clock: Clock,
  timestamps: WriteTimestamps,
): Promise<Tables> {
  if (settings.STORE === 'lmdb') {
    const { LmdbTables } = await import('../store/lmdb/lmdb-tables.js');
    return LmdbTables.open({ folder: join(settings.DATA_DIR, 'store'), clock, log });
  }
  const { CassandraTables } = await import('../store/cassandra/cassandra-tables.js');
  return CassandraTables.open({
    contactPoints: (settings.CASSANDRA_CONTACT_POINTS ?? '').split(',').map((point) => point.trim()),
    localDataCenter: settings.CASSANDRA_LOCAL_DC ?? 'datacenter1',
    keyspace: settings.CASSANDRA_KEYSPACE ?? 'murmuration',
    timestamps,
    replication: Number(settings.CASSANDRA_REPLICATION ?? 3),
    ...(settings.CASSANDRA_USERNAME === undefined ? {} : { username: settings.CASSANDRA_USERNAME }),
    ...(settings.CASSANDRA_PASSWORD === undefined ? {} : { password: settings.CASSANDRA_PASSWORD }),
    log,
  });
}

/**
 * A folder where one is set (on a cluster one that all nodes share) and beside an embedded store; else the store that
 * the cluster has in common.
 */
export async function openMedia(settings: Settings, tables: Tables, clock: Clock): Promise<MediaStore> {
  if (settings.MEDIA_DIR === undefined) {
    const { TableMedia } = await import('../store/media/table-media.js');
    return new TableMedia(tables, clock);
  }
  const { FolderMedia } = await import('../store/media/folder-media.js');
  return new FolderMedia(settings.MEDIA_DIR);
}

/** NATS when an address is set, else the bus within this process. */
export async function openBus(settings: Settings, log: PinoLogger, clock: Clock): Promise<Bus> {
  if (settings.NATS_URL === undefined) {
    const { InProcessHub } = await import('../transport/in-process-bus.js');
    return new InProcessHub(clock).bus(settings.NODE_NAME);
  }
  const { NatsBus } = await import('../transport/nats/nats-bus.js');
  return NatsBus.connect({
    url: settings.NATS_URL,
    token: settings.NATS_TOKEN,
    prefix: settings.CASSANDRA_KEYSPACE ?? 'murmuration',
    name: settings.NODE_NAME,
    log,
  });
}
