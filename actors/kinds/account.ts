import { home } from '../account/home.js';
import { relationEvents } from '../account/relations.js';
import {
  type AccountCommands,
  type AccountEvents,
  type AccountState,
  accountSlices,
  initialAccount,
} from '../account/slices.js';
import { endingSuggestions } from '../account/suggestions.js';
import { tallied } from '../account/tally.js';
import { problem } from '../domain/problem.js';
import { type AccountContext, accountReactions } from '../reactions/account/account.js';
import type { ActorKind } from '../runtime/kind.js';
import { joined, type Slice } from '../runtime/slice.js';

/** All decisions of an account that depend on its state alone. */
type AccountSlice = Slice<AccountState, Omit<AccountCommands, 'home'>, AccountEvents>;

const slices: AccountSlice = joined(accountSlices);

/** All slices of an account combined. Before it is registered, an account only answers `register` and `credentials`. */
export const accountSlice: AccountSlice = {
  ...slices,
  decide: registeredOnly(slices.decide),
  apply: tallied(versioned(slices.apply)),
};

/** The kind of actor that represents one person. */
export function accountKind(around: AccountContext): ActorKind<AccountState, AccountCommands, AccountEvents> {
  const timeline = home(around.rings);
  return {
    name: 'account',
    initial: initialAccount,
    stateVersion: 23,
    decide: { ...accountSlice.decide, ...timeline.decide },
    apply: accountSlice.apply,
    commands: { ...slices.commands, ...timeline.commands },
    events: slices.events,
    reactions: accountReactions(around),
  };
}

/** Wraps the slices so that each change of the relations increases their version, and some end suggestions. */
function versioned(slices: AccountSlice['apply']): AccountSlice['apply'] {
  const apply = endingSuggestions(slices);
  const moved = relationEvents.map((type) => {
    const own = apply[type] as (state: AccountState, event: never, atMs: number) => void;
    const next = (state: AccountState, event: never, atMs: number) => {
      own(state, event, atMs);
      state.relationsVersion += 1;
    };
    return [type, next] as const;
  });
  return { ...apply, ...Object.fromEntries(moved) };
}

function registeredOnly(all: AccountSlice['decide']): AccountSlice['decide'] {
  const guard = (name: string, own: (...parts: never[]) => unknown) => {
    if (name === 'register' || name === 'credentials') return own;
    return (state: AccountState, command: never, ctx: never) =>
      state.owner === undefined ? problem('not_found', 'Record not found') : own(state as never, command, ctx);
  };
  return Object.fromEntries(
    Object.entries(all).map(([name, own]) => [name, guard(name, own)]),
  ) as unknown as typeof all;
}
