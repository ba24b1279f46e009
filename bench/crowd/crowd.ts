import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '../../cli/bundle.js';
import { freePort } from '../../cluster/local/process.js';
import { withoutSettings } from '../../test/kit/services/server-process.js';
import { createAccounts, type Made } from '../accounts.js';
import { followersOf, makeGraph, transposed } from '../graph.js';
import type { Target } from '../http-load.js';
import { get, Town } from '../town.js';

export interface CrowdWish {
  readonly dataDir: string;
  readonly port: string;
  /** A file with an account id per line; the first `accounts` are those of the graph. */
  readonly idsFile: string;
  readonly accounts: number;
  readonly seed: number;
  readonly averageFanOut: number;
  /** Accounts whose rings are not opened for them: they follow and read as people do. */
  readonly spared: readonly number[];
}

/** Requests to the node's process; accounts by number. */
export interface Question {
  post: { readonly authors: readonly number[]; readonly count: number; readonly inFlight: number };
  /** Adds an author, by id, to the rings of the first so many accounts. */
  attach: { readonly author: string; readonly rings: number };
  settled: object;
  figures: object;
}
export interface AnswerTo {
  post: {
    readonly posted: readonly (readonly [author: number, id: string])[];
    readonly timesMs: readonly number[];
    /** From the first to the last delivery. */
    readonly seconds: number;
    readonly deliveries: number;
  };
  attach: object;
  settled: object;
  figures: { readonly rings: number; readonly deliveries: number; readonly bytes: number };
}

const SEED = 403;
const SPARED = 12;
/** Accounts outside the graph, without followers. */
const LONELY = 64;

/** A node in a process of its own, with a graph of accounts whose rings are open. */
export class Crowd {
  private constructor(
    private readonly child: ChildProcess,
    private readonly dataDir: string,
    readonly accounts: readonly Made[],
    /** Numbers of accounts without followers. */
    readonly lonely: readonly number[],
    /** Number of followers of each account. */
    readonly fanOut: Uint32Array,
    /** Accounts that follow and read as people do, with the accounts that each of them follows. */
    readonly readers: ReadonlyMap<number, Uint32Array>,
    readonly target: Target,
  ) {}

  static async open(accounts: number, averageFanOut: number): Promise<Crowd> {
    const dataDir = await mkdtemp(join(tmpdir(), 'murmuration-crowd-'));
    const made = await createAccounts({ dataDir }, accounts + LONELY);
    const idsFile = join(dataDir, 'ids');
    await writeFile(idsFile, made.map(({ id }) => id).join('\n'));
    const graph = makeGraph({ accounts, averageFanOut, seed: SEED });
    const followed = transposed(graph);
    const spared = Array.from({ length: SPARED }, (_, index) => Math.floor((accounts / SPARED) * (index + 0.5)));
    const port = String(await freePort('127.0.0.1'));
    const wish: CrowdWish = { dataDir, port, idsFile, accounts, seed: SEED, averageFanOut, spared };
    const program = fileURLToPath(new URL('./crowd-node.js', import.meta.url));
    const child = fork(program, [JSON.stringify(wish)], { env: withoutSettings(), execArgv: [...NODE_FLAGS] });
    const crowd = new Crowd(
      child,
      dataDir,
      made,
      Array.from({ length: LONELY }, (_, index) => accounts + index),
      Uint32Array.from({ length: accounts }, (_, author) => followersOf(graph, author).length),
      new Map(spared.map((reader) => [reader, followersOf(followed, reader).slice()])),
      {
        urls: [`http://127.0.0.1:${port}`],
        pids: [child.pid ?? 0],
        settled: async () => void (await crowd.ask('settled', {})),
      },
    );
    try {
      await crowd.answer();
      await crowd.readersFollow();
      return crowd;
    } catch (error) {
      await crowd.close();
      throw error;
    }
  }

  async ask<K extends keyof Question>(name: K, question: Question[K]): Promise<AnswerTo[K]> {
    this.child.send({ name, question });
    return (await this.answer()) as AnswerTo[K];
  }

  /**
   * Checks that the readers' homes contain the posts of the accounts they follow, each once, newest first. @throws
   * AssertionError
   */
  async assertHomes(posted: AnswerTo['post']['posted']): Promise<void> {
    const town = Town.on(this.target, [], 0, async () => undefined);
    const account = (number: number) => this.accounts[number] as Made;
    for (const [author, id] of posted) town.keep(account(author), id);
    for (const [reader, followed] of this.readers) {
      await town.assertHome(account(reader), [reader, ...followed].map(account));
    }
  }

  async close(): Promise<void> {
    if (this.child.exitCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await ended;
    }
    await rm(this.dataDir, { recursive: true, force: true });
  }

  /** The readers follow, then read their homes until these have rings like all others. */
  private async readersFollow(): Promise<void> {
    const town = Town.on(this.target, [], 0, async () => undefined);
    for (const [reader, followed] of this.readers) {
      const me = this.accounts[reader] as Made;
      await town.each('follow', followed.length, (index) => {
        const path = `/api/v1/accounts/${this.accounts[followed[index] as number]?.id}/follow`;
        return { method: 'POST', path, token: me.token, body: {}, right: ({ following }) => following };
      });
      await town.call(get('/api/v1/timelines/home', me, Array.isArray));
    }
    await this.target.settled();
    const { rings } = await this.ask('figures', {});
    if (rings !== this.fanOut.length) throw new Error(`${rings} rings for ${this.fanOut.length} accounts`);
  }

  private async answer(): Promise<unknown> {
    const ended = new AbortController();
    const message = once(this.child, 'message', { signal: ended.signal });
    const exit = once(this.child, 'exit', { signal: ended.signal }).then(([code]) => {
      throw new Error(`the node ended with ${code}`);
    });
    try {
      const [{ answer, error }] = (await Promise.race([message, exit])) as [{ answer?: unknown; error?: string }];
      if (error !== undefined) throw new Error(error);
      return answer;
    } finally {
      ended.abort();
      await Promise.allSettled([message, exit]);
    }
  }
}
