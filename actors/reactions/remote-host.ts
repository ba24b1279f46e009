import { deliveries, remoteHosts } from '../../store/federation-tables.js';
import { put } from '../../store/port.js';
import { type DeliveryContext, HostPass } from '../federation/delivery/pass.js';
import { openBuckets, TRIED_MS_MAX } from '../federation/delivery/rows.js';
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
        async reported({ nextMs, gone }, { self, state }, effects) {
          if (gone && state.isGone) await endDeliveries(context, self, state, effects);
          else if (nextMs > 0 && state.nextMs === nextMs) await effects.setAlarm(nextMs, NEXT_ALARM);
        },
        returned: (_event, { self, state }, effects) =>
          effects.write([put(remoteHosts, { host: self }, { domain: state.domain, goneAtMs: 0 })]),
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
  const { fromMs, breaker, retired } = state;
  const pass = new HostPass(context, { host: self, fromMs, breaker, retired });
  const ended = pass.run();
  const end = await effects.outside(ended).catch((error: unknown) => {
    pass.halt();
    throw error;
  });
  const report: Commands['report']['in'] = { seq, ...end };
  await effects.tell('host', self, 'report', report);
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
