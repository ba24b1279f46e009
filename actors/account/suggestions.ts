import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import type { Slice } from '../runtime/slice.js';
import type { LazyMap } from '../runtime/state/lazy-collections.js';
import type { Events as BlockEvents } from './block.js';
import type { Events as FollowEvents } from './follow.js';
import type { Events as MuteEvents } from './mute.js';

export interface Commands {
  dismissSuggestion: { in: P.AccountDismissSuggestion; out: P.AccountEmpty };
  endedSuggestions: { in: P.AccountRelationsOf; out: P.AccountSuggestionEnds };
}
export interface Events {
  suggestionDismissed: P.AccountSuggestionDismissed;
}
export interface State {
  /** Times (ms) at which suggestions of an account last ended, oldest first. At most ENDED_SUGGESTIONS_MAX. */
  readonly endedSuggestions: LazyMap<string, number>;
}

/**
 * More than the interactions that suggestions are based on (gateway/discovery/suggestions.ts); the oldest is dropped.
 */
export const ENDED_SUGGESTIONS_MAX = 1_000;

/**
 * Accounts whose earlier interactions no longer lead to suggestions: those dismissed here, and those that were
 * followed, muted or blocked, or blocked the account. Later interactions with their statuses count again.
 */
export const suggestions: Slice<State, Commands, Events> = {
  decide: {
    dismissSuggestion: (_state, { target }, { nowMs }) => ({
      events: [{ type: 'suggestionDismissed', target, atMs: nowMs }],
      reply: {},
    }),
    endedSuggestions(state, { targets }) {
      const ends: P.AccountSuggestionEnd[] = [];
      for (const target of targets) {
        const atMs = state.endedSuggestions.get(target);
        if (atMs !== undefined) ends.push({ target, atMs });
      }
      return { events: [], reply: { ends } };
    },
  },
  apply: {
    suggestionDismissed: (state, { target, atMs }) => endSuggestion(state, target, atMs),
  },
  commands: {
    dismissSuggestion: {
      in: codec('murmuration.account.DismissSuggestion'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
    },
    endedSuggestions: {
      in: codec('murmuration.account.RelationsOf'),
      out: codec('murmuration.account.SuggestionEnds'),
      repeats: 'query',
      local: true,
    },
  },
  events: { suggestionDismissed: { codec: codec('murmuration.account.SuggestionDismissed'), invalidates: false } },
};

type Ending = Pick<FollowEvents, 'followed'> &
  Pick<MuteEvents, 'muted'> &
  Pick<BlockEvents, 'blocked' | 'blockReceived'>;
type Applied<E> = { readonly [K in keyof E]: (state: never, event: never, atMs: number) => void };

/** Wraps the slices so that these events also end suggestions of the account that they concern. */
export function endingSuggestions<A extends Applied<Ending>>(apply: A): A {
  const also = <K extends keyof Ending>(type: K, whom: (event: Ending[K]) => string | undefined) => {
    const own = apply[type] as (state: State, event: Ending[K], atMs: number) => void;
    return (state: State, event: Ending[K], atMs: number) => {
      own(state, event, atMs);
      const target = whom(event);
      if (target !== undefined) endSuggestion(state, target, event.atMs);
    };
  };
  return {
    ...apply,
    followed: also('followed', ({ target, optionsOnly }) => (optionsOnly ? undefined : target)),
    muted: also('muted', ({ target }) => target),
    blocked: also('blocked', ({ target }) => target),
    blockReceived: also('blockReceived', ({ from, on }) => (on ? from : undefined)),
  };
}

function endSuggestion({ endedSuggestions }: State, target: string, atMs: number): void {
  endedSuggestions.delete(target);
  endedSuggestions.set(target, atMs);
  if (endedSuggestions.size <= ENDED_SUGGESTIONS_MAX) return;
  for (const oldest of endedSuggestions.keys()) {
    endedSuggestions.delete(oldest);
    return;
  }
}
