import type { Command } from 'commander';

/** Asks a node for one of these operations. @throws Refused */
export type Run<O extends { [K in keyof O]: { in: unknown; out: unknown } }> = <N extends keyof O>(
  name: N,
  input: O[N]['in'],
) => Promise<O[N]['out']>;

/** Declares a command of the program. */
export type Declare = (name: string, description: string) => Command;

/** Runs an action against the node that the flags name, or one opened for it. */
export type WithRun<O extends { [K in keyof O]: { in: unknown; out: unknown } }> = (
  flags: Readonly<Record<string, string | boolean | undefined>>,
  action: (run: Run<O>) => Promise<void>,
) => Promise<void>;

/** An answer as one line of JSON on standard output. */
export function printLine(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
