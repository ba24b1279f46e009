import type { Ledger } from './ledger.js';
import type { SimulatedNode } from './node.js';
import type { SeededRandom, World } from './world.js';

/** How clients behave. */
export interface Habits {
  /** Probability that a request goes to the node that the one before went to, also while that does not answer. */
  readonly loyalty: number;
  /** Milliseconds after which a request that may be repeated is given up and repeated. */
  readonly patienceMs: number;
  /** Probability that a client thinks for longer than its account stays in memory. */
  readonly idleChance: number;
}

/** A client gives up on a request after this, longer than a node's own patience. */
const PATIENCE_MS = 11_000;

/** The requests of one client, each to whichever node it reaches. */
export class Requests {
  /** The node of the last request. */
  usual: string | undefined;

  constructor(
    private readonly world: World,
    private readonly nodes: () => readonly SimulatedNode[],
    private readonly random: SeededRandom,
    private readonly ledger: Ledger,
    private readonly habits: Habits,
  ) {}

  /** Resolves to 'unknown' without an answer in time. A request with a key is given up sooner, for it may be repeated. */
  ask(
    kind: string,
    id: string,
    command: string,
    input: object,
    once?: string,
    at?: SimulatedNode,
  ): Promise<unknown | 'unknown'> {
    this.ledger.asked += 1;
    return new Promise((resolve) => {
      const patienceMs = once === undefined ? PATIENCE_MS : this.habits.patienceMs;
      const timer = this.world.at(patienceMs, undefined, () => resolve('unknown'));
      const answer = (reply: unknown) => {
        timer.cancel();
        if (reply !== 'unknown') this.ledger.answered += 1;
        this.world.at(1, undefined, () => resolve(reply));
      };
      const node = at ?? this.someNode();
      if (node === undefined) return;
      this.world.at(1, node.process, () => {
        node.runtime.ask(kind, id, command, input, once).then(answer, () => answer('unknown'));
      });
    });
  }

  private someNode(): SimulatedNode | undefined {
    const reachable = this.nodes().filter((node) => node.process.alive);
    const usual = reachable.find(({ name }) => name === this.usual);
    if (usual !== undefined && this.random.chance(this.habits.loyalty)) return usual;
    const node = reachable.length === 0 ? undefined : this.random.pick(reachable);
    this.usual = node?.name;
    return node;
  }
}
