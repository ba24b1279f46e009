import { deliveries, outgoingDocuments, remoteHosts } from '../../../store/federation-tables.js';
import { put, type RowWrite, type Tables, WRITE_ROWS_MAX } from '../../../store/port.js';
import { hostId } from '../../remote-host/remote-host.js';
import type { Effects, Happened } from '../../runtime/kind.js';
import { document } from '../documents/context.js';
import { nextTurn } from './pace.js';
import { deliveryBucket, digestOf } from './rows.js';

/** An activity for other servers. */
export interface Outgoing {
  /** The activity without its context. Its id stays the same when it is queued again. */
  readonly activity: { readonly id: string; readonly type: string };
  readonly inboxes: readonly string[];
  /** The account that signs: its id, or INSTANCE_KEY, and its address. */
  readonly signer: { readonly id: string; readonly uri: string };
  /** Activities of one order reach an inbox one after the other. */
  readonly order: string;
  /** True if receivers compare the signer's followers of their server (FEP-8fcf). */
  readonly synchronizes?: boolean;
}

/** Hosts whose actors are woken at a time. */
const HOSTS_AT_ONCE = 16;
/** Inboxes after which other work of the event loop runs: their rows take about a millisecond. */
const INBOXES_AT_ONCE = 64;

/**
 * Stores an activity for each inbox and wakes the actors of their hosts. Durable when resolved, as far as effects are;
 * the delivery itself is not waited for. Repeated effects write the same rows. Nothing is stored for hosts that are gone.
 * @param place number of the activity among those of one event
 */
export async function queueActivity(
  tables: Pick<Tables, 'get'>,
  { seq, atMs }: Pick<Happened<unknown>, 'seq' | 'atMs'>,
  effects: Effects,
  { activity, inboxes, signer, order, synchronizes }: Outgoing,
  place = 0,
): Promise<void> {
  const hosts = new Map<string, { readonly domain: string; readonly inboxes: string[] }>();
  for (const [index, inbox] of inboxes.entries()) {
    if (index % INBOXES_AT_ONCE === INBOXES_AT_ONCE - 1) await nextTurn();
    const domain = URL.canParse(inbox) ? new URL(inbox).host : '';
    const host = hostId(domain);
    const known = hosts.get(host);
    if (known !== undefined) known.inboxes.push(inbox);
    else if (domain !== '' && !(await isGone(tables, host))) hosts.set(host, { domain, inboxes: [inbox] });
  }
  if (hosts.size === 0) return;
  const name = digestOf(activity.id);
  const wholeMs = Math.floor(atMs);
  const waiting = {
    ...{ document: name, signer: signer.id, signerUri: signer.uri, order, type: activity.type },
    ...{ attempts: 0, triedMs: 0, dueMs: 0 },
    ...(synchronizes === true ? { synchronizes } : {}),
  };
  // First, so that no pass finds a delivery without its text.
  await effects.write([put(outgoingDocuments, { document: name }, { body: Buffer.from(bodyOf(activity)) })]);
  const rows: RowWrite[] = [];
  for (const [host, { inboxes: own }] of hosts)
    for (const inbox of own) {
      const part = `${place} ${name} ${digestOf(inbox)}`;
      const key = { host, bucket: deliveryBucket(wholeMs), atMs: wholeMs, seq, part };
      rows.push(put(deliveries, key, { ...waiting, inbox }));
      if (rows.length === WRITE_ROWS_MAX) {
        await effects.write(rows.splice(0));
        await nextTurn();
      }
    }
  if (rows.length > 0) await effects.write(rows);
  const told = [...hosts];
  for (let at = 0; at < told.length; at += HOSTS_AT_ONCE) {
    const some = told.slice(at, at + HOSTS_AT_ONCE);
    await Promise.all(some.map(([host, { domain }]) => effects.tell('host', host, 'wake', { domain, atMs: wholeMs })));
  }
}

const bodyOf = (activity: Outgoing['activity']): string => JSON.stringify(document(activity));

async function isGone(tables: Pick<Tables, 'get'>, host: string): Promise<boolean> {
  return ((await tables.get(remoteHosts, { host }))?.goneAtMs ?? 0) > 0;
}
