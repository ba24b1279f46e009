import { deliveries, listedHosts, remoteHosts } from '../../store/federation-tables.js';
import { put, type RowWrite, remove, WRITE_ROWS_MAX } from '../../store/port.js';
import type { SignatureScheme } from '../../transport/federation/signed-request.js';
import { type DeliveryContext, HostPass } from '../federation/delivery/pass.js';
import { deliveryPages, openBuckets, TRIED_MS_MAX } from '../federation/delivery/rows.js';
import { type Commands, type Events, NEXT_ALARM, type State } from '../remote-host/remote-host.js';
import type { Effects, Happened, Reaction } from '../runtime/kind.js';

/**
 * Delivers what waits for a host, after the reply. The pass of an entry is repeated after a crash until its result is
 * stored, and rows are deleted after the host has answered: nothing is lost, and repetitions have the same ids.
 */
export function hostReactions(context: DeliveryContext): readonly Reaction<State, Events>[] {
  return [
    {
      surface: 'delivery',
      beforeReply: false,
      on: {
        woken: (_event, now, effects) => deliverWaiting(context, now, effects),
        async reported({ nextMs, gone, listed }, { self, state }, effects) {
          await list(self, state.domain, listed, effects);
          if (gone && state.isGone) await endDeliveries(context, self, state, effects);
          else if (nextMs > 0 && state.nextMs === nextMs) await effects.setAlarm(nextMs, NEXT_ALARM);
        },
        returned: (_event, { self, state }, effects) =>
          effects.write([put(remoteHosts, { host: self }, { domain: state.domain, goneAtMs: 0 })]),
        async steered({ act, atMs, listed }, { self, state }, effects) {
          await list(self, state.domain, listed, effects);
          if (act === 'drop') await dropWaiting(context, self, atMs, effects);
          if (act === 'retry' && (await context.tables.get(remoteHosts, { host: self })) !== undefined)
            await effects.write([put(remoteHosts, { host: self }, { domain: state.domain, goneAtMs: 0 })]);
        },
      },
    },
  ];
}

async function deliverWaiting(
  context: DeliveryContext,
  { self, seq, state }: Happened<State>,
  effects: Effects,
): Promise<void> {
  if (seq <= state.reportedSeq) return;
  // The node may have started since the host has refused the other scheme.
  if (isScheme(state.scheme) && context.schemes.schemeOf(state.domain) === undefined)
    context.schemes.remember(state.domain, state.scheme);
  const { fromMs, breaker, retired } = state;
  if (state.isHeld) {
    const unchanged = { nextMs: 0, more: false, retired: [], scheme: '' };
    await effects.tell('host', self, 'report', { ...unchanged, seq, fromMs, breaker });
    return;
  }
  const pass = new HostPass(context, { host: self, fromMs, breaker, retired });
  const ended = pass.run();
  const end = await effects.outside(ended).catch((error: unknown) => {
    pass.halt();
    throw error;
  });
  const report: Commands['report']['in'] = { seq, ...end };
  await effects.tell('host', self, 'report', report);
}

const isScheme = (text: string): text is SignatureScheme => text === 'cavage' || text === 'rfc9421';

/** Writes or deletes the row of a host for which something waits. */
async function list(host: string, domain: string, listed: boolean | undefined, effects: Effects): Promise<void> {
  if (listed === undefined) return;
  const key = { century: 0, domain };
  await effects.write([listed ? put(listedHosts, key, { host }) : remove(listedHosts, key)]);
}

/** Drops the deliveries that were stored before an operator's order. No pass runs meanwhile. */
async function dropWaiting(
  { tables, figures }: DeliveryContext,
  host: string,
  atMs: number,
  effects: Effects,
): Promise<void> {
  const rows: RowWrite[] = [];
  for await (const page of deliveryPages(tables, host, 0, atMs, WRITE_ROWS_MAX)) {
    rows.length = 0;
    for (const { key } of page) if (key.atMs <= atMs) rows.push(remove(deliveries, key));
    if (rows.length > 0) await effects.write(rows);
    figures.dropped.operator += rows.length;
  }
  figures.waits(host, 0, 0, 0);
}

/** Drops everything that waits for a host that has failed for a week. */
async function endDeliveries(
  { tables, clock, figures }: DeliveryContext,
  host: string,
  { domain }: Readonly<State>,
  effects: Effects,
): Promise<void> {
  const nowMs = clock.nowMs();
  // First, so that nothing more is stored.
  await effects.write([put(remoteHosts, { host }, { domain, goneAtMs: nowMs })]);
  for (const bucket of openBuckets(nowMs - TRIED_MS_MAX, nowMs))
    await tables.removeRange(deliveries, { host, bucket }, {});
  figures.dropped['host-gone'] += figures.waitingFor(host);
  figures.waits(host, 0, 0, 0);
}
