import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { edgePage } from '../domain/edge-page.js';
import { problem } from '../domain/problem.js';
import { isMuted } from '../domain/visibility.js';
import type { Slice } from '../runtime/slice.js';
import { type Mute, type RelationState, relationTo } from './relations.js';

export interface Commands {
  mute: { in: P.AccountMute; out: P.AccountRelation };
  unmute: { in: P.AccountUnmute; out: P.AccountRelation };
  mutes: { in: P.AccountEdgeBounds; out: P.AccountEdgePage };
}
export interface Events {
  muted: P.AccountMuted;
  unmuted: P.AccountUnmuted;
}

/** Bounds one activation's memory, and the size of its relations as a message (packed-relations.ts): 17 bytes each. */
export const MUTES_MAX = 10_000;

/**
 * Mutes: the owner does not see the account's statuses, and the account does not learn of the mute. An expired mute is
 * ignored when it is read, and deleted with the next mute.
 */
export const mute: Slice<RelationState, Commands, Events> = {
  decide: {
    mute(state, { target, notifications, durationMs }, { self, nowMs, newId }) {
      if (target === self) return problem('forbidden', 'This action is not allowed');
      const known = lasting(state.muting.get(target), nowMs);
      const untilMs = durationMs > 0 ? nowMs + durationMs : 0;
      const told = { muting: true, mutingNotifications: notifications, mutingUntilMs: untilMs };
      const reply = { ...relationTo(state, target, nowMs), ...told };
      if (known?.notifications === notifications && known.untilMs === untilMs) return { events: [], reply };
      if (known === undefined && state.muting.size >= MUTES_MAX && mutesNow(state, nowMs).length >= MUTES_MAX)
        return problem('limit_reached', `Validation failed: You cannot mute more than ${MUTES_MAX} people`);
      const event = { target, edgeId: known?.edgeId ?? newId(), notifications, untilMs, atMs: nowMs };
      return { events: [{ type: 'muted', ...event }], reply };
    },
    unmute(state, { target }, { nowMs }) {
      const told = { muting: false, mutingNotifications: false, mutingUntilMs: 0 };
      const reply = { ...relationTo(state, target, nowMs), ...told };
      return { events: state.muting.has(target) ? [{ type: 'unmuted', target }] : [], reply };
    },
    mutes(state, bounds, { nowMs }) {
      return { events: [], reply: edgePage(mutesNow(state, nowMs), bounds) };
    },
  },
  apply: {
    muted(state, { target, edgeId, notifications, untilMs, atMs }) {
      for (const [account, { untilMs: endMs }] of state.muting) if (!isMuted(endMs, atMs)) state.muting.delete(account);
      state.muting.set(target, { edgeId, notifications, untilMs });
    },
    unmuted: (state, { target }) => void state.muting.delete(target),
  },
  commands: {
    mute: {
      in: codec('murmuration.account.Mute'),
      out: codec('murmuration.account.Relation'),
      repeats: 'idempotent',
      local: true,
    },
    unmute: {
      in: codec('murmuration.account.Unmute'),
      out: codec('murmuration.account.Relation'),
      repeats: 'idempotent',
      local: true,
    },
    mutes: {
      in: codec('murmuration.account.EdgeBounds'),
      out: codec('murmuration.account.EdgePage'),
      repeats: 'query',
      local: true,
    },
  },
  events: {
    muted: { codec: codec('murmuration.account.Muted'), invalidates: true, changesRelations: true },
    unmuted: { codec: codec('murmuration.account.Unmuted'), invalidates: false, changesRelations: true },
  },
};

function lasting(mute: Mute | undefined, nowMs: number): Mute | undefined {
  return isMuted(mute?.untilMs, nowMs) ? mute : undefined;
}

function mutesNow(state: Readonly<RelationState>, nowMs: number): P.AccountEdge[] {
  const edges: P.AccountEdge[] = [];
  for (const [account, { edgeId, untilMs }] of state.muting) {
    if (isMuted(untilMs, nowMs)) edges.push({ account, edgeId, untilMs });
  }
  return edges;
}
