import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { isId } from '../domain/ids.js';
import { problem } from '../domain/problem.js';
import type { Recorded, Slice } from '../runtime/slice.js';
import type { LazyMap } from '../runtime/state/lazy-collections.js';

export interface Commands {
  markers: { in: P.AccountEmpty; out: P.AccountMarkers };
  setMarkers: { in: P.AccountSetMarkers; out: P.AccountMarkers };
}
export interface Events {
  markerSet: P.AccountMarker;
}
export interface State {
  /** Markers by timeline. At most one for each of MARKED_TIMELINES. */
  readonly markers: LazyMap<string, P.AccountMarker>;
}

/** Timelines in which clients store a reading position. Source: Mastodon Marker::TIMELINES. */
export const MARKED_TIMELINES = ['home', 'notifications'] as const;

/** The owner's reading positions, shared by all their clients. */
export const markers: Slice<State, Commands, Events> = {
  decide: {
    markers: ({ markers: known }) => ({ events: [], reply: { markers: [...known.values()] } }),
    setMarkers(state, { markers: wanted }, { nowMs }) {
      const events: Recorded<Events>[] = [];
      for (const { timeline, lastReadId } of wanted) {
        const known = state.markers.get(timeline);
        if (!MARKED_TIMELINES.some((name) => name === timeline) || !isId(lastReadId))
          return problem('invalid', 'Validation failed: Last read id is invalid');
        if (known?.lastReadId === lastReadId) continue;
        const version = (known?.version ?? 0) + 1;
        events.push({ type: 'markerSet', timeline, lastReadId, version, updatedAtMs: nowMs });
      }
      const next = wanted.flatMap(({ timeline }) => {
        const marker = events.find((event) => event.timeline === timeline) ?? state.markers.get(timeline);
        return marker === undefined ? [] : [marker];
      });
      return { events, reply: { markers: next } };
    },
  },
  apply: {
    markerSet({ markers: known }, { timeline, lastReadId, version, updatedAtMs }) {
      known.set(timeline, { timeline, lastReadId, version, updatedAtMs });
    },
  },
  commands: {
    markers: {
      in: codec('murmuration.account.Empty'),
      out: codec('murmuration.account.Markers'),
      repeats: 'query',
      local: true,
    },
    setMarkers: {
      in: codec('murmuration.account.SetMarkers'),
      out: codec('murmuration.account.Markers'),
      repeats: 'idempotent',
      local: true,
    },
  },
  events: { markerSet: { codec: codec('murmuration.account.Marker'), invalidates: false } },
};
