import { join } from 'node:path';
import type { Clock } from '../actors/domain/time.js';
import type { Settings } from '../cli/settings.js';
import type { MediaStore } from '../store/media.js';
import type { Tables } from '../store/port.js';
import type { WriteTimestamps } from '../store/write-timestamps.js';
import type { Bus } from '../transport/bus.js';
import { FOLDER_WAIT_MS, SERVICE_WAIT_MS, type StartWait, waitAtStart } from './wait-at-start.js';

/** Opens the configured store. An embedded node does not load the modules of the other store. */
export async function openStore(settings: Settings, start: StartWait, timestamps: WriteTimestamps): Promise<Tables> {
  const { clock, log } = start;
  if (settings.STORE === 'lmdb') {
    const { LmdbTables } = await import('../store/lmdb/lmdb-tables.js');
    const folder = join(settings.DATA_DIR, 'store');
    return waitAtStart(start, 'the process that has the data folder open', FOLDER_WAIT_MS, () =>
      LmdbTables.open({ folder, clock, log }),
    );
  }
  const { CassandraTables } = await import('../store/cassandra/cassandra-tables.js');
  const options = {
    contactPoints: (settings.CASSANDRA_CONTACT_POINTS ?? '').split(',').map((point) => point.trim()),
    localDataCenter: settings.CASSANDRA_LOCAL_DC ?? 'datacenter1',
    keyspace: settings.CASSANDRA_KEYSPACE ?? 'murmuration',
    timestamps,
    replication: Number(settings.CASSANDRA_REPLICATION ?? 3),
    ...(settings.CASSANDRA_USERNAME === undefined ? {} : { username: settings.CASSANDRA_USERNAME }),
    ...(settings.CASSANDRA_PASSWORD === undefined ? {} : { password: settings.CASSANDRA_PASSWORD }),
    clock,
    log,
  };
  return waitAtStart(start, 'Cassandra', SERVICE_WAIT_MS, () => CassandraTables.open(options));
}

/**
 * Opens the media store: a folder if one is set (on a cluster one that all nodes share) or the store is embedded; else
 * rows in the shared store.
 */
export async function openMedia(settings: Settings, tables: Tables, clock: Clock): Promise<MediaStore> {
  if (settings.MEDIA_DIR === undefined) {
    const { TableMedia } = await import('../store/media/table-media.js');
    return new TableMedia(tables, clock);
  }
  const { FolderMedia } = await import('../store/media/folder-media.js');
  return new FolderMedia(settings.MEDIA_DIR);
}

/** Opens NATS if an address is set, else the bus within this process. */
export async function openBus(settings: Settings, start: StartWait): Promise<Bus> {
  const { clock, log } = start;
  if (settings.NATS_URL === undefined) {
    const { InProcessHub } = await import('../transport/in-process-bus.js');
    return new InProcessHub(clock).bus(settings.NODE_NAME);
  }
  const { NatsBus } = await import('../transport/nats/nats-bus.js');
  const { NATS_URL: url, NATS_TOKEN: token, NODE_NAME: name } = settings;
  if (token === undefined && !url.includes('@')) {
    log.warn({}, 'NATS has neither token nor password: anyone who reaches it can send commands to accounts');
  }
  const prefix = settings.CASSANDRA_KEYSPACE ?? 'murmuration';
  return waitAtStart(start, 'NATS', SERVICE_WAIT_MS, () => NatsBus.connect({ url, token, prefix, name, log, clock }));
}
