import type { AnyKind, Reaction } from '../kind.js';

const DAY_MS = 86_400_000;
/** The subject of the alarm that makes an actor forget its past. */
export const FORGET_ALARM = 'journal';

/** How often an actor that is to forget is looked at until nothing goes on there; it has as long as any command. */
export const FORGET_POLL_MS = 100;

export const isForgetCall = (command: string, input: object): boolean =>
  command === 'alarm' && (input as { readonly what?: string }).what === FORGET_ALARM;

/**
 * When the actor of that id forgets what an event at `atMs` has made past: a day to two days later. What one actor
 * does in a day shares an alarm, and actors take turns round the day.
 */
export function forgetAtMs(id: string, atMs: number): number {
  const offsetMs = Number(BigInt(id) % BigInt(DAY_MS));
  return offsetMs + Math.ceil((atMs + DAY_MS - offsetMs) / DAY_MS) * DAY_MS;
}

/** Sets the alarm behind the replies to the events with the trait `forgets`. */
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
