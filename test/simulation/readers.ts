import { accounts, statuses } from '../../store/tables.js';
import type { Ledger } from './ledger.js';
import type { SimulatedNode } from './node.js';
import type { SeededRandom, World } from './world.js';

/** Pause between two reads. */
const LOOK_MS: readonly [number, number] = [50, 400];
/** Statuses of one page. */
const PAGE_STATUSES = 5;

/** Users who read the latest statuses and their authors from random nodes, which cache them. */
export class Readers {
  constructor(
    private readonly world: World,
    private readonly nodes: () => readonly SimulatedNode[],
    private readonly random: SeededRandom,
    private readonly ledger: Ledger,
  ) {}

  async live(untilMs: number): Promise<void> {
    while (this.world.now < untilMs) {
      await this.world.sleep(this.random.between(...LOOK_MS));
      const node = this.random.pick(this.nodes());
      const page = this.ledger.posts.slice(-PAGE_STATUSES);
      this.world.at(0, node.process, () => void look(node, page));
    }
  }
}

/** Reads a page; a store that does not answer returns nothing. */
async function look({ tables }: SimulatedNode, page: Ledger['posts']): Promise<void> {
  const authors = [...new Set(page.map(({ author }) => author))];
  await Promise.allSettled([
    tables.getMany(
      statuses,
      page.map(({ id }) => ({ status: id })),
    ),
    tables.getMany(
      accounts,
      authors.map((account) => ({ account })),
    ),
  ]);
}
