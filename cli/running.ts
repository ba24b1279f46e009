import type { Command } from 'commander';

/** Runs one of these operations on a node. @throws Refused */
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

/** Prints an answer as one line of JSON on standard output. */
export function printLine(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
