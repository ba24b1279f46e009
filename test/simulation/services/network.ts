import { Unavailable } from '../../../actors/domain/problem.js';
import {
  type Bus,
  isCommon,
  NotDelivered,
  type Served,
  type Subscription,
  servedBytes,
} from '../../../transport/bus.js';
import { ReceivedNumbers } from '../../../transport/received-numbers.js';
import type { Process, SeededRandom, World } from '../world.js';

export interface Faults {
  /** Probability that one message between nodes is lost. */
  dropChance: number;
  /** Probability that an effect's command (one with a cause) is delivered twice. */
  repeatChance: number;
  /** One-way delay, uniform between these. */
  delayMs: readonly [number, number];
}

interface Server {
  readonly process: Process;
  readonly handler: (payload: Uint8Array) => Promise<Served>;
}
interface Listener {
  readonly process: Process;
  readonly handler: (payload: Uint8Array) => void;
  readonly lost: () => void;
}

/**
 * A node's subscription to the common topics: numbered by publisher as on NATS, so that only a later message shows a
 * loss.
 */
interface Ear {
  readonly process: Process;
  readonly numbers: ReceivedNumbers;
  readonly handlers: Map<string, Set<(payload: Uint8Array) => void>>;
  readonly lost: () => void;
}

/**
 * Delay after which the loss of an event on another topic is noticed, as by the next one's number or a reconnection.
 */
const GAP_NOTICED_MS = 500;

/**
 * The messages between simulated nodes: they take time, get lost, are duplicated, overtake one another, and stop at
 * partitions.
 */
export class Network {
  private readonly servers = new Map<string, Server[]>();
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly ears = new Set<Ear>();
  private runs = 0;
  private readonly cut = new Set<string>();
  /** Nodes that know that they are disconnected from the bus, with the time. */
  private readonly unplugged = new Map<string, number>();
  /** Time at which the last event from one node reaches another: events of one publisher stay in order. */
  private readonly lastEventMs = new Map<string, number>();

  constructor(
    private readonly world: World,
    private readonly random: SeededRandom,
    readonly faults: Faults,
    /** Returns true if a request may be delivered twice without breaking its contract. */
    private readonly repeatable: (payload: Uint8Array) => boolean,
  ) {}

  /** Cuts or restores every line between two nodes. */
  partition(a: string, b: string, on: boolean): void {
    const line = [a, b].sort().join('|');
    if (on) this.cut.add(line);
    else this.cut.delete(line);
  }

  /**
   * Disconnects a node from the bus, which it notices at once, or reconnects it: then it knows that it missed
   * something.
   */
  unplug(name: string, on: boolean): void {
    if (on) {
      this.unplugged.set(name, this.world.now);
    } else if (this.unplugged.delete(name)) {
      for (const { process, lost } of this.ears) if (process.name === name && process.alive) lost();
    }
  }

  mend(): void {
    this.cut.clear();
    for (const name of this.unplugged.keys()) this.unplug(name, false);
    this.faults.dropChance = 0;
    this.faults.repeatChance = 0;
  }

  reaches(a: Process, b: Process): boolean {
    if (a === b) return true;
    return !this.cut.has([a.name, b.name].sort().join('|')) && ![a, b].some(({ name }) => this.unplugged.has(name));
  }

  /** Delivers to `target` after a delay, unless the message is lost or a partition separates the two. */
  send(source: Process, target: Process, action: () => void): void {
    if (!this.reaches(source, target)) return;
    if (source !== target && this.random.chance(this.faults.dropChance)) return;
    this.world.at(source === target ? 0 : this.delay(), target, action);
  }

  /** Returns true if a message sent now gets lost. */
  private loses(source: Process, target: Process): boolean {
    return !this.reaches(source, target) || (source !== target && this.random.chance(this.faults.dropChance));
  }

  /** Delivers after everything that the source published before. */
  private inOrder(source: Process, target: Process, action: () => void): void {
    const way = `${source.name}|${target.name}`;
    const atMs = Math.max(this.lastEventMs.get(way) ?? 0, this.world.now + (source === target ? 0 : this.delay()));
    this.lastEventMs.set(way, atMs);
    this.world.at(atMs - this.world.now, target, action);
  }

  /**
   * Delivers an event in order after earlier ones; a node that misses it is notified of a loss once it is reachable.
   */
  private event(source: Process, { process, handler, lost }: Listener, payload: Uint8Array): void {
    if (this.loses(source, process)) {
      const notice = () => {
        if (this.reaches(source, process)) lost();
        else this.world.at(GAP_NOTICED_MS, process, notice);
      };
      this.world.at(GAP_NOTICED_MS, process, notice);
      return;
    }
    this.inOrder(source, process, () => handler(payload));
  }

  /** Delivers an event to every node. */
  private commonEvent(source: Process, publisher: string, number: number, subject: string, payload: Uint8Array): void {
    for (const ear of this.ears) {
      const { process, numbers, handlers, lost } = ear;
      if (!process.alive) this.ears.delete(ear);
      else if (!this.loses(source, process)) {
        this.inOrder(source, process, () => {
          if (numbers.hear(publisher, number)) lost();
          for (const handler of handlers.get(subject) ?? []) handler(payload);
        });
      }
    }
  }

  delay(): number {
    const [low, high] = this.faults.delayMs;
    return low + this.random.fraction() * (high - low);
  }

  busOf(process: Process): Bus {
    const gapHandlers: ((subject: string | undefined) => void)[] = [];
    const lost = () => {
      for (const handler of gapHandlers) handler(undefined);
    };
    const nowMs = () => this.world.clockOf(process).monotonicMs();
    const numbers = new ReceivedNumbers({ nowMs, firstMax: 1 });
    const ear: Ear = { process, numbers, handlers: new Map(), lost };
    this.ears.add(ear);
    const publisher = `${process.name}#${this.runs++}`;
    let number = 0;
    return {
      request: (subject, payload, timeoutMs) => this.request(process, subject, payload, timeoutMs),
      serve: async (subject, handler) => {
        const server = { process, handler };
        this.servers.set(subject, [...(this.servers.get(subject) ?? []), server]);
        return this.subscription(() => {
          const left = (this.servers.get(subject) ?? []).filter((entry) => entry !== server);
          this.servers.set(subject, left);
        });
      },
      publish: (subject, payload) => {
        if (isCommon(subject)) {
          number += 1;
          this.commonEvent(process, publisher, number, subject, payload);
          return;
        }
        for (const listener of this.listeners.get(subject) ?? []) this.event(process, listener, payload);
      },
      subscribe: async (subject, handler) => {
        if (isCommon(subject)) {
          const handlers = ear.handlers.get(subject) ?? new Set();
          ear.handlers.set(subject, handlers.add(handler));
          return this.subscription(() => handlers.delete(handler));
        }
        const listener = { process, handler, lost };
        const all = this.listeners.get(subject) ?? new Set();
        this.listeners.set(subject, all.add(listener));
        return this.subscription(() => all.delete(listener));
      },
      onGap: (handler) => void gapHandlers.push(handler),
      receivedUpTo: () => numbers.receivedUpTo(),
      follows: (heard, gone) => numbers.follows(heard, gone),
      healthy: () => !this.unplugged.has(process.name),
      downMs: () => this.world.now - (this.unplugged.get(process.name) ?? this.world.now),
      hears: () => !this.unplugged.has(process.name),
      close: async () => undefined,
    };
  }

  private subscription(end: () => void): Subscription {
    return { close: async () => end() };
  }

  private request(source: Process, subject: string, payload: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const timer = this.world.at(timeoutMs, source, () => reject(new Unavailable(`no answer on ${subject}`)));
      const fail = (error: Error) => {
        timer.cancel();
        reject(error);
      };
      const alive = (this.servers.get(subject) ?? []).filter((server) => server.process.alive);
      if (alive.length === 0) {
        this.world.at(this.delay(), source, () => {
          timer.cancel();
          reject(new NotDelivered(`nobody serves ${subject}`));
        });
        return;
      }
      const server = this.random.pick(alive);
      const deliver = () =>
        this.send(source, server.process, () => {
          server.handler(payload).then(
            (served) => {
              const answer = servedBytes(served);
              this.send(server.process, source, () => {
                timer.cancel();
                resolve(answer);
              });
            },
            (error: Error) => this.send(server.process, source, () => fail(new Unavailable(error.message))),
          );
        });
      deliver();
      if (this.repeatable(payload) && this.random.chance(this.faults.repeatChance)) deliver();
    });
  }
}
