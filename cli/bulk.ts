import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { type NewAccount, Refused } from './operations.js';
import type { Operate } from './operator-socket.js';

/**
 * Maximum number of accounts created at a time: enough to fill a group commit and the hashing threads, few enough that
 * each waits little.
 */
const AT_A_TIME = 32;

/**
 * Creates one account per line (JSON) and prints one line for each in the same order. Reports a bad line with its
 * number and continues with the others.
 * @returns the number of failed lines
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
  const pending: Pending[] = [];
  /** Names and addresses that pending lines claim: the first of two equal claims gets it. */
  const claimed = new Map<string, Promise<unknown>>();
  let failed = 0;
  let number = 0;
  const settleFirst = async () => {
    const first = pending.shift();
    if (first === undefined) return;
    const outcome = await first.made;
    for (const claim of first.claims) if (claimed.get(claim) === first.made) claimed.delete(claim);
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
    const wanted = read(line);
    const claims = wanted instanceof Error ? [] : claimsOf(wanted);
    const earlier = claims.flatMap((claim) => claimed.get(claim) ?? []);
    const made = Promise.all(earlier).then(() => createOne(run, wanted, testPasswords));
    const outcome = made.catch((error: Error) => error);
    for (const claim of claims) claimed.set(claim, outcome);
    pending.push({ number, claims, made: outcome });
    if (pending.length >= AT_A_TIME) await settleFirst();
  }
  while (pending.length > 0) await settleFirst();
  return failed;
}

interface Pending {
  readonly number: number;
  readonly claims: readonly string[];
  /** The line to print, or the error. */
  readonly made: Promise<string | Error>;
}

function read(line: string): object | Refused {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === 'object' && parsed !== null ? parsed : new Refused('not a JSON object');
  } catch {
    return new Refused('not JSON');
  }
}

function claimsOf({ username, email }: Partial<NewAccount>): string[] {
  return [`name ${username}`, `address ${email}`].map((claim) => claim.toLowerCase());
}

async function createOne(run: Operate, wanted: object | Refused, testPassword: boolean): Promise<string> {
  if (wanted instanceof Error) throw wanted;
  return JSON.stringify(await run('account.create', { ...(wanted as NewAccount), testPassword }));
}
