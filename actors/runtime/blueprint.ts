import { forgetReaction } from './activation/forgetting.js';
import type { Message } from './asking/delivery.js';
import type { AnyKind, Effects, Happened } from './kind.js';
import type { Repeats } from './slice.js';

/** The handler of one event type in one reaction. */
export interface Handler {
  readonly surface: string;
  readonly run: (event: object, happened: Happened<unknown>, effects: Effects) => Promise<void> | void;
}
/** Handlers by event type. */
export type Handlers = ReadonlyMap<string, readonly Handler[]>;

/** A kind, prepared for the lookups that the runtime repeats for each command. */
export interface Blueprint {
  readonly kind: AnyKind;
  readonly beforeReply: Handlers;
  readonly afterReply: Handlers;
  /** Commands whose replies wait for no effects. */
  readonly queries: ReadonlySet<string>;
  /** Event types after which the reply waits for the invalidation barrier. */
  readonly invalidating: ReadonlySet<string>;
  /** Commands that always carry an idempotency key. */
  readonly keyed: ReadonlySet<string>;
  /** True when the command may be sent again if its outcome is unknown. */
  repeatable(message: Pick<Message, 'command' | 'cause' | 'idempotencyKey'>): boolean;
}

export function blueprint(kind: AnyKind): Blueprint {
  const commands = (repeats: Repeats) =>
    new Set(Object.keys(kind.commands).filter((name) => kind.commands[name]?.repeats === repeats));
  const never = commands('never');
  return {
    kind,
    repeatable: (message) =>
      message.cause !== undefined || message.idempotencyKey !== undefined || !never.has(message.command),
    beforeReply: handlersOf(kind, true),
    afterReply: handlersOf(kind, false),
    queries: commands('query'),
    keyed: commands('keyed'),
    invalidating: new Set(Object.keys(kind.events).filter((type) => kind.events[type]?.invalidates === true)),
  };
}

function handlersOf(kind: AnyKind, beforeReply: boolean): Handlers {
  const handlers = new Map<string, Handler[]>();
  for (const reaction of [...kind.reactions, forgetReaction(kind)]) {
    if (reaction.beforeReply !== beforeReply) continue;
    for (const type of Object.keys(reaction.on)) {
      const on = reaction.on[type];
      if (on === undefined) continue;
      const run: Handler['run'] = (event, happened, effects) => on(event, happened, effects);
      handlers.set(type, [...(handlers.get(type) ?? []), { surface: reaction.surface, run }]);
    }
  }
  return handlers;
}
