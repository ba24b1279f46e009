import assert from 'node:assert/strict';
import { makeId } from '../../actors/domain/ids.js';
import { isProblem, Unavailable } from '../../actors/domain/problem.js';
import { statuses } from '../../store/tables.js';
import { type Person, TestServer } from '../../test/kit/services/server.js';
import type { Row } from '../row.js';

const MANY = 200_000;
const FEW = 10;
const FEW_STATUSES = 100;
const RATIO_MAX = 1.2;
const ROUNDS = 15;
const MARKS_A_ROUND = 400;
const IN_FLIGHT = 32;
/** Effects of a round are done after this pause. */
const PAUSE_MS = 150;
/** Delay before a request to an overloaded node is repeated. */
const AGAIN_MS = 200;
const FIRST_MS = 1_767_225_600_000;

/**
 * Measures favourites of a status that has 200,000, in turn with favourites of statuses that have ten. The ids of the
 * favouriting accounts do not exist. Server and load share one process: its CPU time is good for comparison only.
 */
export async function benchMarks(): Promise<Row[]> {
  const server = await TestServer.start();
  try {
    const crowd = await Crowd.of(server);
    const [first = '', ...others] = crowd.ids;
    await each(MANY, () => crowd.favourite(first));
    await each(FEW * others.length, (index) => crowd.favourite(others[index % others.length] as string));
    const ratios: number[] = [];
    const costs: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const few = await costOf((index) => crowd.favourite(others[index % others.length] as string));
      const many = await costOf(() => crowd.favourite(first));
      costs.push(many);
      ratios.push(many / few);
    }
    const ratio = median(ratios);
    return [
      { name: `favourite of a status with ${MANY} of them (whole process)`, cpuSecondsPer1000: median(costs) },
      {
        name: `the same, as so many times that of one with ${FEW}, ${ROUNDS} rounds in turn`,
        figure: `${ratio.toFixed(2)} times (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
        target: `≤ ${RATIO_MAX}`,
        reached: ratio <= RATIO_MAX,
      },
    ];
  } finally {
    await server.stop();
  }
}

/** An author's statuses, and ids of accounts that favourite them. */
class Crowd {
  #minted = 0;
  private constructor(
    private readonly server: TestServer,
    readonly ids: readonly string[],
    private readonly conversations: ReadonlyMap<string, string>,
  ) {}

  static async of(server: TestServer): Promise<Crowd> {
    const author: Person = await server.person('author');
    const ids: string[] = [];
    for (let n = 0; n <= FEW_STATUSES; n++) ids.push(await author.says(`number ${n}`));
    const keys = ids.map((status) => ({ status }));
    const records = await server.node.services.tables.getMany(statuses, keys);
    return new Crowd(server, ids, new Map(records.map((record) => [record?.id ?? '', record?.conversationId ?? ''])));
  }

  async favourite(statusId: string): Promise<void> {
    const number = this.#minted++;
    const by = makeId(FIRST_MS + Math.floor(number / 1_024), number % 1_024, 0);
    for (;;) {
      try {
        const conversation = this.conversations.get(statusId) ?? '';
        const answer = await this.server.node.services.askConversation(conversation, 'favourite', { statusId, by });
        assert.ok(!isProblem(answer), JSON.stringify(answer));
        return;
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }
}

/** Returns CPU-seconds per 1,000. */
async function costOf(work: (index: number) => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await each(MARKS_A_ROUND, work);
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / MARKS_A_ROUND;
}

async function each(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
