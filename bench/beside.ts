import { AsyncLocalStorage } from 'node:async_hooks';
import type { Row } from './row.js';

/** One of the two programs that a benchmark measures at the same time. */
interface Side {
  /** 0 or 1. */
  readonly number: number;
  /** Its main.js; undefined: that of this build. */
  readonly main: string | undefined;
  readonly steps: Steps;
  /** True once the benchmark has asked which program to start. */
  isAsked: boolean;
}

/** A step that waits for the other side's. */
interface Waiting {
  readonly side: Side;
  readonly work: () => Promise<void>;
  readonly ended: () => void;
}

const sides = new AsyncLocalStorage<Side>();

/** Returns the main.js that a benchmark starts; undefined: that of this build. */
export function measuredMain(): string | undefined {
  const side = sides.getStore();
  if (side !== undefined) side.isAsked = true;
  return side?.main;
}

/** Runs a step of a measurement. While one side runs a step, the other one waits. */
export function step<T>(work: () => Promise<T>): Promise<T> {
  const side = sides.getStore();
  return side === undefined ? work() : side.steps.take(side, work);
}

/** Runs the steps of both sides in turn. The side that begins alternates, because the speed of a machine changes. */
class Steps {
  readonly #waiting: Waiting[] = [];
  #sides = 2;
  #swapped = false;

  /** Resolves when both sides have run the step: otherwise the first would go on beside the second. */
  async take<T>(side: Side, work: () => Promise<T>): Promise<T> {
    let outcome: PromiseSettledResult<T> | undefined;
    const kept = async () => {
      [outcome] = await Promise.allSettled([sides.run(side, work)]);
    };
    await new Promise<void>((ended) => {
      this.#waiting.push({ side, work: kept, ended });
      this.#runWhenComplete();
    });
    if (outcome?.status !== 'fulfilled') throw outcome?.reason;
    return outcome.value;
  }

  /** The other side does not wait for one that has ended or failed. */
  leave(): void {
    this.#sides -= 1;
    this.#runWhenComplete();
  }

  #runWhenComplete(): void {
    if (this.#waiting.length > 0 && this.#waiting.length === this.#sides) void this.#run(this.#waiting.splice(0));
  }

  async #run(all: Waiting[]): Promise<void> {
    all.sort((a, b) => a.side.number - b.side.number);
    if (this.#swapped) all.reverse();
    this.#swapped = !this.#swapped;
    for (const { work } of all) await work();
    for (const { ended } of all) ended();
  }
}

/**
 * Runs a benchmark for this build and for another at the same time; returns the rows of both.
 * @throws Error for a benchmark that starts nothing by `measuredMain`: both sides would be this build
 */
export async function runBeside(run: () => Promise<Row[]>, main: string): Promise<[Row[], Row[]]> {
  const steps = new Steps();
  const side = async (number: number, of: string | undefined) => {
    const own: Side = { number, main: of, steps, isAsked: false };
    const rows = await sides.run(own, run).finally(() => steps.leave());
    if (!own.isAsked) throw new Error('this benchmark measures only its own build');
    return rows;
  };
  return Promise.all([side(0, undefined), side(1, main)]);
}

/**
 * Returns lines that compare the CPU time of two builds round by round, for rows that have rounds: the geometric mean of
 * the ratios. Their arithmetic mean is above 1 for the same program twice, the more so the more rounds vary.
 */
export function comparison(ours: readonly Row[], theirs: readonly Row[]): string[] {
  const others = new Map(theirs.map((row) => [row.name, row]));
  return ours.flatMap(({ name, cpuSecondsPer1000: cpu = 0, cpuSecondsPer1000Rounds: rounds = [] }) => {
    const other = others.get(name);
    const ratios = rounds.map((one, round) => one / (other?.cpuSecondsPer1000Rounds?.[round] ?? Number.NaN));
    if (ratios.length === 0) return [];
    const mean = Math.exp(ratios.reduce((sum, one) => sum + Math.log(one), 0) / ratios.length);
    const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((one) => one.toFixed(2));
    const medians = `${(other?.cpuSecondsPer1000 ?? 0).toFixed(4)} → ${cpu.toFixed(4)}`;
    return [`${name}: ${medians} CPU-s/1,000, ${mean.toFixed(3)} times (${least}–${most}, ${ratios.length} rounds)`];
  });
}
