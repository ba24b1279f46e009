import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import type { Slice } from '../runtime/slice.js';
import { FETCH_MS_MAX } from './web-page.js';

export interface Commands {
  wantProof: { in: P.LinkWantProof; out: P.LinkEmpty };
  finishProof: { in: P.LinkFinishProof; out: P.LinkEmpty };
  alarm: { in: P.StoreAlarmCall; out: P.LinkEmpty };
}
export interface Events {
  proofWanted: P.LinkProofWanted;
  proofFinished: P.LinkProofFinished;
}
export interface State {
  proof:
    | (Pick<P.LinkProofWanted, 'url' | 'back' | 'by' | 'tries'> & {
        /** Start of the current fetch (ms); 0: none. */
        fetchingSinceMs: number;
        /** Time of the next fetch (ms); 0: none is planned. */
        againAtMs: number;
      })
    | undefined;
}

/** Delays after each fetch that found no link back: people often change their page after their profile. */
export const WAITS_MS = [60_000, 600_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000] as const;
/** Subject of the alarm of a proof. */
export const PROOF_ALARM = 'proof';

/**
 * Verification that one page links back to one profile. The pair has an actor of its own, so that a slow page delays
 * nobody else.
 */
export const proof: Slice<State, Commands, Events> = {
  decide: {
    wantProof({ proof: known }, { url, back, by }, { nowMs }) {
      if (known !== undefined && nowMs - known.fetchingSinceMs < FETCH_MS_MAX) return { events: [], reply: {} };
      return { events: [{ type: 'proofWanted', url, back, by, tries: 1, atMs: nowMs }], reply: {} };
    },
    finishProof({ proof: known }, { proven }, { nowMs }) {
      if (known === undefined || known.fetchingSinceMs === 0) return { events: [], reply: {} };
      const waitMs = proven ? undefined : WAITS_MS[known.tries - 1];
      const againAtMs = waitMs === undefined ? 0 : nowMs + waitMs;
      return { events: [{ type: 'proofFinished', proven, againAtMs, atMs: nowMs }], reply: {} };
    },
    alarm({ proof: known }, { what, atMs }, { nowMs }) {
      if (what !== PROOF_ALARM || known === undefined || known.againAtMs !== atMs) return { events: [], reply: {} };
      const { url, back, by, tries } = known;
      return { events: [{ type: 'proofWanted', url, back, by, tries: tries + 1, atMs: nowMs }], reply: {} };
    },
  },
  apply: {
    proofWanted(state, { url, back, by, tries, atMs }) {
      state.proof = { url, back, by, tries, fetchingSinceMs: atMs, againAtMs: 0 };
    },
    proofFinished(state, { againAtMs }) {
      if (state.proof !== undefined) state.proof = { ...state.proof, fetchingSinceMs: 0, againAtMs };
    },
  },
  commands: {
    wantProof: {
      in: codec('murmuration.link.WantProof'),
      out: codec('murmuration.link.Empty'),
      repeats: 'idempotent',
      local: true,
    },
    finishProof: {
      in: codec('murmuration.link.FinishProof'),
      out: codec('murmuration.link.Empty'),
      repeats: 'idempotent',
      local: true,
    },
    alarm: {
      in: codec('murmuration.store.AlarmCall'),
      out: codec('murmuration.link.Empty'),
      repeats: 'idempotent',
      local: true,
    },
  },
  events: {
    proofWanted: { codec: codec('murmuration.link.ProofWanted'), invalidates: false },
    proofFinished: { codec: codec('murmuration.link.ProofFinished'), invalidates: false },
  },
};
