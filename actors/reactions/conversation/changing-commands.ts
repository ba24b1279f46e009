import type { Effects, Happened, Reaction } from '../../runtime/kind.js';

/** Returns the input of a command as it is sent. */
type Change<S> = (happened: Happened<S>, command: string, input: object) => Promise<object> | object;

/** Wraps a reaction so that the inputs of its commands are changed. */
export function changingCommands<S, E>(reaction: Reaction<S, E>, change: Change<S>): Reaction<S, E> {
  type Handler = (event: unknown, happened: Happened<S>, effects: Effects) => Promise<void> | void;
  const wrapped = (handler: Handler): Handler => {
    return (event, happened, effects) => handler(event, happened, changing(effects, happened, change));
  };
  const on = Object.entries(reaction.on).map(([type, handler]) => [type, wrapped(handler as Handler)]);
  return { ...reaction, on: Object.fromEntries(on) };
}

function changing<S>(effects: Effects, happened: Happened<S>, change: Change<S>): Effects {
  return {
    mayRepeat: effects.mayRepeat,
    write: (rows) => effects.write(rows),
    setAlarm: (atMs, what) => effects.setAlarm(atMs, what),
    outside: (request) => effects.outside(request),
    nowMs: () => effects.nowMs(),
    publish: (subject, payload) => effects.publish(subject, payload),
    tell(kind, id, command, input) {
      const changed = change(happened, command, input);
      return changed instanceof Promise
        ? changed.then((now) => effects.tell(kind, id, command, now))
        : effects.tell(kind, id, command, changed);
    },
  };
}
