import type { Relay, Relays } from '../../actors/domain/servers/relays.js';
import type { Clock } from '../../actors/domain/time.js';
import { RELAYS } from '../../actors/instance/relays.js';
import type { InstanceEntry } from '../../proto/gen/types.js';
import { type EntrySource, keepRefreshed } from './refreshed.js';

/** Relayed statuses that a node fetches, on average: each costs a fetch and a place in a timeline of everybody. */
const PER_SECOND = 10;
/** Relayed statuses that may come at once, a minute's. Further ones are left out. */
const AT_ONCE_MAX = 60 * PER_SECOND;

/** Relays in memory, updated with each change on this and on other nodes. */
export class RelayList implements Relays {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #accepted: readonly Relay[] = [];
  #left = AT_ONCE_MAX;
  #countedMs: number;

  private constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    this.#countedMs = clock.monotonicMs();
  }

  /** Loads all relays. @throws Unavailable when the store cannot answer */
  static async open(source: EntrySource): Promise<RelayList> {
    const list = new RelayList(source.clock);
    await keepRefreshed(RELAYS, source, (entries) => {
      list.#accepted = entries.flatMap(relayOf);
    });
    return list;
  }

  get accepted(): readonly Relay[] {
    return this.#accepted;
  }

  accepts(uri: string): boolean {
    return this.#accepted.some((relay) => relay.uri === uri);
  }

  admits(): boolean {
    const nowMs = this.#clock.monotonicMs();
    this.#left = Math.min(AT_ONCE_MAX, this.#left + ((nowMs - this.#countedMs) / 1_000) * PER_SECOND);
    this.#countedMs = nowMs;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}

function relayOf({ key, relay }: InstanceEntry): Relay[] {
  if (relay?.state !== 'accepted') return [];
  return [{ uri: key, inbox: relay.inbox, style: relay.style }];
}
