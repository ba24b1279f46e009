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
import { ONLY_REMOTE, REMOTE_COMMANDS, REMOTE_IGNORED } from './remote-commands.js';

/** All decisions of an account that depend on its state alone. */
type AccountSlice = Slice<AccountState, Omit<AccountCommands, 'home'>, AccountEvents>;

const slices: AccountSlice = joined(accountSlices);

const refused = () => problem('not_found', 'Record not found');
const ignored = () => ({ events: [], reply: {} });

/** Commands that make an account, or ask if there is one. */
const OF_NEWCOMERS = new Set(['register', 'describe', 'credentials']);

/**
 * All slices of an account combined. Before it is registered or described, an account only answers `register`,
 * `describe` and `credentials`. An account of another server answers few commands.
 */
export const accountSlice: AccountSlice = {
  ...slices,
  decide: knownOnly(slices.decide),
  apply: tallied(versioned(slices.apply)),
};

/** The kind of actor that represents one person. */
export function accountKind(around: AccountContext): ActorKind<AccountState, AccountCommands, AccountEvents> {
  const timeline = home(around.rings);
  return {
    name: 'account',
    initial: initialAccount,
    stateVersion: 29,
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

function knownOnly(all: AccountSlice['decide']): AccountSlice['decide'] {
  const guard = (name: string, own: (...parts: never[]) => unknown) => {
    if (OF_NEWCOMERS.has(name)) return own;
    const remote = REMOTE_COMMANDS.has(name) ? own : REMOTE_IGNORED.has(name) ? ignored : refused;
    const isOnlyRemote = ONLY_REMOTE.has(name);
    return (state: AccountState, command: never, ctx: never) => {
      if (state.owner !== undefined) return (isOnlyRemote ? refused : own)(state as never, command, ctx);
      return (state.origin === undefined ? refused : remote)(state as never, command, ctx);
    };
  };
  return Object.fromEntries(
    Object.entries(all).map(([name, own]) => [name, guard(name, own)]),
  ) as unknown as typeof all;
}
