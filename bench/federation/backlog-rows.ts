import { pino } from 'pino';
import { INSTANCE_KEY } from '../../actors/federation/account-keys.js';
import { deliveryBucket, digestOf } from '../../actors/federation/delivery/rows.js';
import { hostId } from '../../actors/remote-host/remote-host.js';
import { readSettings } from '../../cli/settings.js';
import { openBase } from '../../compose/base.js';
import { deliveries, outgoingDocuments } from '../../store/federation-tables.js';
import { put, type RowWrite, WRITE_ROWS_MAX } from '../../store/port.js';

// Stores deliveries that wait for one host in the data of a stopped node, as queueActivity does, each of another
// object. backlog.ts starts it: making as many posts would take longer than the measurement.

export interface BacklogWish {
  readonly dataDir: string;
  readonly baseUrl: string;
  readonly inbox: string;
  readonly rows: number;
}

const wish = JSON.parse(process.argv[2] ?? '{}') as BacklogWish;
const settings = readSettings({ DATA_DIR: wish.dataDir, BASE_URL: wish.baseUrl, LOG_LEVEL: 'warn' }, {});
const { tables } = await openBase(settings, pino({ level: 'warn' }, pino.destination(2)), undefined);
const signerUri = `${wish.baseUrl}/actor`;
const host = hostId(new URL(wish.inbox).host);
const atMs = Date.now();
let writes: RowWrite[] = [];
for (let seq = 0; seq < wish.rows; seq++) {
  const id = `${signerUri}#updates/${seq}`;
  const document = digestOf(id);
  const activity = { '@context': 'https://www.w3.org/ns/activitystreams', id, type: 'Update', actor: signerUri };
  const body = Buffer.from(JSON.stringify({ ...activity, object: { id: `${signerUri}/${seq}`, type: 'Note' } }));
  const key = { host, bucket: deliveryBucket(atMs), atMs, seq, part: `0 ${document} ${digestOf(wish.inbox)}` };
  const sender = { document, inbox: wish.inbox, signer: INSTANCE_KEY, signerUri };
  const delivery = { ...sender, order: id, type: 'Update', attempts: 0, triedMs: 0, dueMs: 0 };
  writes.push(put(outgoingDocuments, { document }, { body }), put(deliveries, key, delivery));
  if (writes.length < WRITE_ROWS_MAX && seq + 1 < wish.rows) continue;
  await tables.write(writes);
  writes = [];
}
await tables.close();
process.exit(0);
