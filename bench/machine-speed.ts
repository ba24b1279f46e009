import { closeSync, openSync, writeSync } from 'node:fs';

const WORDS = 2 ** 24;
const READS = 4_000_000;
const STEPS = 50_000_000;
const CALLS = 100_000;

/** Cost of fixed loops on this machine now, in CPU time: other users of a shared machine slow them all. */
export interface MachineSpeed {
  /** A multiplication and an addition of 32 bits. */
  readonly stepNs: number;
  /** A read from a random position in 64 MiB, each after the previous one. */
  readonly readNs: number;
  /** A system call that writes one byte to /dev/null. */
  readonly callNs: number;
}

/** Measures for some seconds. Figures of different runs are comparable as far as these are alike. */
export function machineSpeed(): MachineSpeed {
  const places = new Uint32Array(WORDS);
  for (let index = 0; index < WORDS; index++) places[index] = scrambled(index) % WORDS;
  const nowhere = openSync('/dev/null', 'w');
  const byte = Buffer.of(0);
  // Results are kept, or V8 would remove the loops.
  const seen = new Uint32Array(1);
  try {
    return {
      stepNs: perTurn(STEPS, (turns) => {
        let value = seen[0] as number;
        for (let turn = 0; turn < turns; turn++) value = scrambled(value);
        seen[0] = value;
      }),
      readNs: perTurn(READS, (turns) => {
        let place = 0;
        for (let turn = 0; turn < turns; turn++) place = places[(place + turn) % WORDS] as number;
        seen[0] = place;
      }),
      callNs: perTurn(CALLS, (turns) => {
        for (let turn = 0; turn < turns; turn++) writeSync(nowhere, byte);
      }),
    };
  } finally {
    closeSync(nowhere);
  }
}

/** Source: Numerical Recipes, a linear congruential generator of full period. */
function scrambled(value: number): number {
  return (Math.imul(value, 1_664_525) + 1_013_904_223) >>> 0;
}

/** Returns nanoseconds of CPU time per turn, the minimum of three. */
function perTurn(turns: number, run: (turns: number) => void): number {
  run(turns / 10);
  const times = [0, 1, 2].map(() => {
    const before = process.cpuUsage();
    run(turns);
    const { user, system } = process.cpuUsage(before);
    return ((user + system) * 1_000) / turns;
  });
  return Number(Math.min(...times).toFixed(2));
}
