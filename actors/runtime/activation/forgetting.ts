import type { AnyKind, Reaction } from '../kind.js';

const DAY_MS = 86_400_000;
/** Subject of the alarm that makes an actor forget its past. */
export const FORGET_ALARM = 'journal';

/** Interval of the checks whether an actor that is to forget is idle. The check ends with the command's deadline. */
export const FORGET_POLL_MS = 100;

export const isForgetCall = (command: string, input: object): boolean =>
  command === 'alarm' && (input as { readonly what?: string }).what === FORGET_ALARM;

/**
 * Returns the time (ms) at which the actor forgets what came before an event at `atMs`: one to two days later. Events
 * of the same day share an alarm. The id spreads the actors over the day.
 */
export function forgetAtMs(id: string, atMs: number): number {
  const offsetMs = Number(BigInt(id) % BigInt(DAY_MS));
  return offsetMs + Math.ceil((atMs + DAY_MS - offsetMs) / DAY_MS) * DAY_MS;
}

/** Returns the reaction that sets the alarm, after the reply, for events with the trait `forgets`. */
export function forgetReaction({ events }: AnyKind): Reaction<unknown, Record<string, object>> {
  return {
    surface: 'journal',
    beforeReply: false,
    on: Object.fromEntries(
      Object.keys(events)
        .filter((type) => events[type]?.forgets === true)
        .map((type) => [
          type,
          (_event, { self, atMs }, effects) => effects.setAlarm(forgetAtMs(self, atMs), FORGET_ALARM),
        ]),
    ),
  };
}
