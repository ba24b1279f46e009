import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import type { OriginState } from './standing.js';

export interface Commands {
  setAliases: { in: P.MovesSetAliases; out: P.AccountEmpty };
  move: { in: P.MovesMove; out: P.AccountEmpty };
  endMove: { in: P.AccountEmpty; out: P.AccountEmpty };
  /** Sent by the account to itself: records which followers are moved next. */
  moveFollowers: { in: P.MovesMoveFollowers; out: P.AccountEmpty };
}
export interface Events {
  aliasesSet: P.MovesAliasesSet;
  moved: P.MovesMoved;
  moveEnded: P.MovesMoveEnded;
  followersMoved: P.MovesMoveFollowers;
}
export interface State {
  moves: Moves;
}
interface Moves {
  /** Addresses of accounts that may move to this one; at most ALIASES_MAX. */
  readonly aliases: readonly string[];
  /** The account to which this one moved; undefined: it did not, or came back. */
  readonly movedTo: P.StoreMovedTo | undefined;
  /** Time of the last move; 0: none. */
  readonly lastMoveMs: number;
}

export const NO_MOVES: Moves = Object.freeze({ aliases: [], movedTo: undefined, lastMoveMs: 0 });

/** Aliases of one account. Bounds its row; people have few former accounts. */
export const ALIASES_MAX = 20;
/** Time between two moves of an account. Each moves all followers. Source: Mastodon Account::MIGRATION_COOLDOWN. */
export const MOVE_AGAIN_MS = 30 * 86_400_000;
/** The same for an account of another server. Source: Mastodon ActivityPub::Activity::Move::PROCESSING_COOLDOWN. */
export const REMOTE_MOVE_AGAIN_MS = 7 * 86_400_000;

const empty = codec('murmuration.account.Empty');

/** Moves of accounts to others, which take their followers along. Callers check that the other account agrees. */
export const moves: Slice<State & OriginState, Commands, Events> = {
  decide: {
    setAliases(state, { uris }) {
      const next = [...new Set(uris)];
      if (next.length > ALIASES_MAX)
        return problem('limit_reached', `Validation failed: There can be ${ALIASES_MAX} aliases`);
      if (next.join('\n') === state.moves.aliases.join('\n')) return { events: [], reply: {} };
      return { events: [{ type: 'aliasesSet', uris: next }], reply: {} };
    },
    move(state, { target, targetUri, targetLocked }, { self, nowMs }) {
      if (target === self) return problem('invalid', 'An account cannot move to itself');
      // A repetition, which may come from another node.
      if (state.moves.movedTo?.id === target) return { events: [], reply: {} };
      const pauseMs = state.origin === undefined ? MOVE_AGAIN_MS : REMOTE_MOVE_AGAIN_MS;
      if (state.moves.lastMoveMs > 0 && nowMs - state.moves.lastMoveMs < pauseMs)
        return problem('limit_reached', `The account has moved in the last ${pauseMs / 86_400_000} days`);
      return { events: [{ type: 'moved', target, targetUri, targetLocked, atMs: nowMs }], reply: {} };
    },
    endMove: ({ moves: { movedTo } }) => ({ events: movedTo === undefined ? [] : [{ type: 'moveEnded' }], reply: {} }),
    moveFollowers: (_state, some) => ({ events: [{ type: 'followersMoved', ...some }], reply: {} }),
  },
  apply: {
    aliasesSet(state, { uris }) {
      state.moves = { ...state.moves, aliases: uris };
    },
    moved(state, { target, targetUri, atMs }) {
      const movedTo = { id: target, uri: targetUri, atMs };
      state.moves = { ...state.moves, movedTo, lastMoveMs: atMs };
    },
    moveEnded(state) {
      state.moves = { ...state.moves, movedTo: undefined };
    },
    followersMoved() {},
  },
  commands: {
    setAliases: { in: codec('murmuration.moves.SetAliases'), out: empty, repeats: 'idempotent', local: true },
    move: { in: codec('murmuration.moves.Move'), out: empty, repeats: 'idempotent', local: false, remote: 'answers' },
    endMove: { in: empty, out: empty, repeats: 'idempotent', local: false, remote: 'answers' },
    moveFollowers: {
      in: codec('murmuration.moves.MoveFollowers'),
      out: empty,
      repeats: 'idempotent',
      local: true,
      remote: 'answers',
    },
  },
  events: {
    aliasesSet: { codec: codec('murmuration.moves.AliasesSet'), invalidates: false },
    moved: { codec: codec('murmuration.moves.Moved'), invalidates: true },
    moveEnded: { codec: codec('murmuration.moves.MoveEnded'), invalidates: true },
    followersMoved: { codec: codec('murmuration.moves.MoveFollowers'), invalidates: false },
  },
};
