import type { Effects, Happened, Reaction } from '../../runtime/kind.js';

/** Returns true when moderators have silenced the account, as far as this node knows. */
export type IsSilenced = (account: string) => boolean;

/** Commands that notify an account of an action by `from`. Its policy may filter silenced accounts. */
const TELLING = new Set(['notify', 'hearDirect']);

/** Wraps a reaction so that its notifications say when they come from a silenced account. */
export function sayingLimits<S, E>(reaction: Reaction<S, E>, isSilenced: IsSilenced): Reaction<S, E> {
  type Handler = (event: unknown, happened: Happened<S>, effects: Effects) => Promise<void> | void;
  const wrapped = (handler: Handler): Handler => {
    return (event, happened, effects) => handler(event, happened, marking(effects, isSilenced));
  };
  const on = Object.entries(reaction.on).map(([type, handler]) => [type, wrapped(handler as Handler)]);
  return { ...reaction, on: Object.fromEntries(on) };
}

function marking(effects: Effects, isSilenced: IsSilenced): Effects {
  return {
    mayRepeat: effects.mayRepeat,
    write: (rows) => effects.write(rows),
    setAlarm: (atMs, what) => effects.setAlarm(atMs, what),
    outside: (request) => effects.outside(request),
    nowMs: () => effects.nowMs(),
    publish: (subject, payload) => effects.publish(subject, payload),
    tell(kind, id, command, input) {
      const isOfSilenced = TELLING.has(command) && 'from' in input && isSilenced(String(input.from));
      return effects.tell(kind, id, command, isOfSilenced ? { ...input, limited: true } : input);
    },
  };
}
