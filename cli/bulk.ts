import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { type NewAccount, Refused } from './operations.js';
import type { Operate } from './operator-socket.js';

/** Accounts made at a time: enough to fill a group commit and the hashing threads, few enough to wait little. */
const AT_A_TIME = 32;

/**
 * Makes an account a line (JSON), printing a line for each in the same order; a bad line is reported with its number
 * and the others are made.
 * @returns how many lines failed
 */
export async function createFromFile(
  run: Operate,
  file: string,
  testPasswords: boolean,
  print: (line: string) => void,
  complain: (line: string) => void,
): Promise<number> {
  const opened = await open(file).catch((error: Error) => {
    throw new Refused(error.message);
  });
  const lines = createInterface({ input: opened.createReadStream(), crlfDelay: Number.POSITIVE_INFINITY });
  const pending: { number: number; made: Promise<string | Error> }[] = [];
  let failed = 0;
  let number = 0;
  const settleFirst = async () => {
    const first = pending.shift();
    if (first === undefined) return;
    const outcome = await first.made;
    if (typeof outcome === 'string') {
      print(outcome);
      return;
    }
    failed += 1;
    complain(`line ${first.number}: ${outcome.message}`);
  };
  for await (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    const made = createOne(run, line, testPasswords).catch((error: Error) => error);
    pending.push({ number, made });
    if (pending.length >= AT_A_TIME) await settleFirst();
  }
  while (pending.length > 0) await settleFirst();
  return failed;
}

async function createOne(run: Operate, line: string, testPassword: boolean): Promise<string> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    throw new Refused('not JSON');
  }
  if (typeof parsed !== 'object' || parsed === null) throw new Refused('not a JSON object');
  return JSON.stringify(await run('account.create', { ...(parsed as NewAccount), testPassword }));
}
