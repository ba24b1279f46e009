import type { Bus } from '../../../transport/bus.js';

/**
 * Returns a bus whose node receives publications only when the test releases them, in order, as behind a slow
 * connection.
 */
export function holdingBus(inner: Bus): Bus & { hold(): void; letGo(): void } {
  let held: (() => void)[] | undefined;
  const letGo = () => {
    const waiting = held ?? [];
    held = undefined;
    for (const deliver of waiting) deliver();
  };
  return {
    request: inner.request.bind(inner),
    serve: inner.serve.bind(inner),
    publish: inner.publish.bind(inner),
    subscribe: (subject, handler) =>
      inner.subscribe(subject, (payload) => {
        if (held === undefined) handler(payload);
        else held.push(() => handler(payload));
      }),
    onGap: inner.onGap.bind(inner),
    receivedUpTo: inner.receivedUpTo.bind(inner),
    follows: inner.follows.bind(inner),
    healthy: () => inner.healthy(),
    downMs: () => inner.downMs(),
    hears: () => inner.hears(),
    close: () => inner.close(),
    hold: () => {
      held ??= [];
    },
    letGo,
  };
}
