import { home } from '../account/home.js';
import {
  type AccountCommands,
  type AccountEvents,
  type AccountState,
  accountSlices,
  initialAccount,
  relationEvents,
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

const refused = () => problem('not_found', 'Record not found');
const ignored = () => ({ events: [], reply: {} });

/**
 * All slices of an account combined. Before it is registered or described, an account takes only commands that are
 * `unregistered`; an account of another server takes only those that name `remote`.
 */
export const accountSlice: AccountSlice = {
  ...slices,
  decide: knownOnly(slices),
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

/** Wraps the decisions so that an account takes only the commands that suit what it is. */
function knownOnly({ decide, commands }: AccountSlice): AccountSlice['decide'] {
  const guard = (name: string, own: (...parts: never[]) => unknown) => {
    const { remote, unregistered } = commands[name as keyof typeof commands];
    if (unregistered) return own;
    const elsewhere = remote === undefined ? refused : remote === 'ignores' ? ignored : own;
    const here = remote === 'only' ? refused : own;
    return (state: AccountState, command: never, ctx: never) => {
      if (state.owner !== undefined) return here(state as never, command, ctx);
      return (state.origin === undefined ? refused : elsewhere)(state as never, command, ctx);
    };
  };
  return Object.fromEntries(
    Object.entries(decide).map(([name, own]) => [name, guard(name, own)]),
  ) as unknown as typeof decide;
}
