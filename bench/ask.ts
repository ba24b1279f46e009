import { performance } from 'node:perf_hooks';
import { makeId } from '../actors/domain/ids.js';
import type { ActorKind } from '../actors/runtime/kind.js';
import { Runtime } from '../actors/runtime/runtime.js';
import { systemClock, systemRandom } from '../actors/runtime/system.js';
import { codec } from '../proto/codec.js';
import { Journal } from '../store/journal.js';
import { MemoryTables } from '../store/memory/memory-tables.js';
import { InProcessHub } from '../transport/in-process-bus.js';

const ACTORS = 100;
const IN_FLIGHT = 64;

/** Figures of one way of asking. */
export interface AskFigures {
  readonly name: string;
  readonly perSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly cpuSecondsPer1000: number;
}

interface CounterCommands {
  count: { in: object; out: object };
  look: { in: object; out: object };
}
const empty = codec('murmuration.account.Empty');

/** A minimal actor: its cost is that of the runtime. */
const counter: ActorKind<{ count: number }, CounterCommands, { counted: object }> = {
  name: 'counter',
  initial: () => ({ count: 0 }),
  stateVersion: 1,
  decide: {
    count: () => ({ events: [{ type: 'counted' }], reply: {} }),
    look: () => ({ events: [], reply: {} }),
  },
  apply: {
    counted: (state) => {
      state.count += 1;
    },
  },
  commands: {
    count: { in: empty, out: empty, repeats: 'idempotent', local: true },
    look: { in: empty, out: empty, repeats: 'query', local: true },
  },
  events: { counted: { codec: empty, invalidates: false } },
  reactions: [],
};

/**
 * Measures local asks of a query and of a recorded command (memory store), one at a time and 64 in flight, over 100
 * actors; `asks` of each.
 */
export async function benchAsk(asks = 50_000): Promise<AskFigures[]> {
  const tables = new MemoryTables();
  const silent = () => undefined;
  const runtime = new Runtime({
    kinds: [counter],
    tables,
    journal: new Journal(tables),
    bus: new InProcessHub(systemClock).bus('bench'),
    placement: { epochOf: () => 1, idFloorMs: () => 0 },
    clock: systemClock,
    stamps: systemClock,
    random: systemRandom,
    logger: { info: silent, warn: silent, error: silent },
  });
  await runtime.acquire([0]);
  const ids = Array.from({ length: ACTORS }, (_, index) => makeId(1_767_225_600_000 + index, 0, 0));
  const figures: AskFigures[] = [];
  try {
    for (const command of ['look', 'count']) {
      const ask = (index: number) => runtime.ask('counter', ids[index % ACTORS] as string, command, {});
      await drive(ask, asks / 10, IN_FLIGHT);
      for (const inFlight of [1, IN_FLIGHT]) {
        figures.push(figuresOf(`${command}, ${inFlight} in flight`, await drive(ask, asks, inFlight)));
      }
    }
  } finally {
    runtime.close();
  }
  return figures;
}

interface Driven {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly latenciesMs: Float64Array;
}

async function drive(ask: (index: number) => Promise<unknown>, asks: number, inFlight: number): Promise<Driven> {
  const latenciesMs = new Float64Array(asks);
  let next = 0;
  const worker = async () => {
    while (next < asks) {
      const index = next++;
      const started = performance.now();
      await ask(index);
      latenciesMs[index] = performance.now() - started;
    }
  };
  const cpu = process.cpuUsage();
  const started = performance.now();
  await Promise.all(Array.from({ length: inFlight }, worker));
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  return { seconds, cpuSeconds: (user + system) / 1e6, latenciesMs };
}

function figuresOf(name: string, { seconds, cpuSeconds, latenciesMs }: Driven): AskFigures {
  latenciesMs.sort();
  const at = (part: number) => Math.round((latenciesMs[Math.floor(latenciesMs.length * part)] ?? 0) * 10_000) / 10;
  const asks = latenciesMs.length;
  return {
    name: `local ask: ${name}`,
    perSecond: Math.round(asks / seconds),
    p50Us: at(0.5),
    p99Us: at(0.99),
    cpuSecondsPer1000: Math.round((cpuSeconds / asks) * 1e8) / 1e5,
  };
}
