import type { RowWrite } from '../../../store/port.js';
import type { Effects, Happened, Reaction } from '../../runtime/kind.js';

/** Returns the input of a command as it is sent. */
type Change<S> = (happened: Happened<S>, command: string, input: object) => Promise<object> | object;

/** Wraps a reaction so that the inputs of its commands are changed. */
export function changingCommands<S, E>(reaction: Reaction<S, E>, change: Change<S>): Reaction<S, E> {
  type Handler = (event: unknown, happened: Happened<S>, effects: Effects) => Promise<void> | void;
  const wrapped = (handler: Handler): Handler => {
    return (event, happened, effects) => handler(event, happened, new ChangedEffects(effects, happened, change));
  };
  const on = Object.entries(reaction.on).map(([type, handler]) => [type, wrapped(handler as Handler)]);
  return { ...reaction, on: Object.fromEntries(on) };
}

/** The effects of one event, with changed commands. A class, because each event of a conversation makes several. */
class ChangedEffects<S> implements Effects {
  constructor(
    private readonly effects: Effects,
    private readonly happened: Happened<S>,
    private readonly change: Change<S>,
  ) {}

  get mayRepeat(): boolean {
    return this.effects.mayRepeat;
  }

  write(rows: readonly RowWrite[]): Promise<void> {
    return this.effects.write(rows);
  }

  setAlarm(atMs: number, what: string): Promise<void> {
    return this.effects.setAlarm(atMs, what);
  }

  outside<T>(request: Promise<T>): Promise<T> {
    return this.effects.outside(request);
  }

  stampMs(): number {
    return this.effects.stampMs();
  }

  publish(subject: string, payload: Uint8Array): void {
    this.effects.publish(subject, payload);
  }

  tell(kind: string, id: string, command: string, input: object): Promise<unknown> {
    const changed = this.change(this.happened, command, input);
    return changed instanceof Promise
      ? changed.then((now) => this.effects.tell(kind, id, command, now))
      : this.effects.tell(kind, id, command, changed);
  }
}
