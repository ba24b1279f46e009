import { Unavailable } from '../../../actors/domain/problem.js';
import type { Bus } from '../../../transport/bus.js';

/** Returns a bus that can lose publications, as NATS does when it is down. */
export function lossyBus(
  inner: Bus,
): Bus & { losing: boolean; down: boolean; downForMs: number; gap(subject?: string): void } {
  const gaps: ((subject: string | undefined) => void)[] = [];
  const bus = {
    losing: false,
    down: false,
    /** The value of `downMs` while it is down. */
    downForMs: 1,
    gap: (subject?: string) => {
      for (const handler of gaps) handler(subject);
    },
    request: inner.request.bind(inner),
    serve: inner.serve.bind(inner),
    publish: (subject: string, payload: Uint8Array) => {
      if (!bus.losing) inner.publish(subject, payload);
    },
    subscribe: async (subject: string, handler: (payload: Uint8Array) => void) => {
      if (bus.down) throw new Unavailable('the bus is down');
      return inner.subscribe(subject, handler);
    },
    onGap: (handler: (subject: string | undefined) => void) => void gaps.push(handler),
    receivedUpTo: inner.receivedUpTo.bind(inner),
    follows: inner.follows.bind(inner),
    healthy: () => !bus.down,
    downMs: () => (bus.down ? bus.downForMs : 0),
    hears: () => !bus.down,
    close: () => inner.close(),
  };
  return bus;
}
