import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Unavailable } from '../actors/domain/problem.js';
import type { Jobs } from './jobs.js';
import type { Asked, Told } from './parser-process.js';
import { resourceUse } from './resource-use.js';

/** Limits of one job; its process is killed when it exceeds one. */
export interface Bounds {
  readonly cpuMsMax: number;
  readonly rssBytesMax: number;
  /** Duration including the wait for a processor. On a system without CPU times, `cpuMsMax` applies to it. */
  readonly msMax: number;
}

/** The outcome of a job. `killed` names the exceeded limit, `crashed` the end of the process. */
export type Ended =
  | { readonly kind: 'done'; readonly out: unknown }
  | { readonly kind: 'failed'; readonly stack: string }
  | { readonly kind: 'killed'; readonly bound: keyof Bounds }
  | { readonly kind: 'crashed'; readonly how: string };

/** Interval of checks of a process's use. A decoder fills some 2 GB/s, so it may exceed its limit by some 50 MB. */
const LOOK_MS = 25;
/** Heap for JavaScript; bytes and pictures are outside it. Small, because garbage of one job is useless to the next. */
const FLAGS = ['--max-old-space-size=128', '--max-semi-space-size=4'];
/**
 * The only variables, because an upload may take over the process, which must not know secrets. The value stops glibc
 * from keeping an arena for each thread, whose memory it never returns.
 */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2' };
/** Variables that some systems need to find programs or libraries. */
const PASSED_ON = ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot', 'TZ'];

/** The built program beside this file; in a bundle it is a bundle, too. */
const program = fileURLToPath(
  new URL(import.meta.url.endsWith('.cjs') ? './parser-process.cjs' : './parser-process.js', import.meta.url),
);

/** A process that parses and can be killed at any time. */
export class ChildParser {
  readonly #child: ChildProcess;
  #begun = false;
  #end: ((ended: Ended | Unavailable) => void) | undefined;
  #gone: string | undefined;

  constructor() {
    const env = Object.fromEntries(PASSED_ON.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
    this.#child = fork(program, [], {
      execArgv: FLAGS,
      env: { ...env, ...ENVIRONMENT },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.on('message', (told: Told) => this.#onMessage(told));
    this.#child.on('error', (error) => this.#lost(error.message));
    this.#child.on('exit', (code, signal) => this.#lost(`${signal ?? `code ${code}`}`));
    this.#hold(false);
  }

  /** True when it can take another job. */
  get alive(): boolean {
    return this.#gone === undefined;
  }

  /** Memory that it holds between two jobs; 0 if the system does not report it. */
  get rssBytes(): number {
    return resourceUse(this.#child.pid ?? -1)?.rssBytes ?? 0;
  }

  /**
   * Runs a job; one at a time. @throws Unavailable when the process failed to start, or had ended before the job began
   */
  async run<J extends keyof Jobs>(asked: Asked<J>, bounds: Bounds): Promise<Ended> {
    this.#begun = false;
    this.#hold(true);
    const before = resourceUse(this.#child.pid ?? -1)?.cpuMs;
    const beganMs = performance.now();
    const looking = setInterval(() => {
      const broken = this.#broken(bounds, before, performance.now() - beganMs);
      if (broken !== undefined) this.#kill({ kind: 'killed', bound: broken });
    }, LOOK_MS);
    const ended = await new Promise<Ended | Unavailable>((end) => {
      this.#end = end;
      if (this.#gone !== undefined) this.#lost(this.#gone);
      else this.#child.send(asked, (error) => error && this.#lost(error.message));
    });
    clearInterval(looking);
    this.#end = undefined;
    this.#hold(false);
    if (ended instanceof Unavailable) throw ended;
    return ended;
  }

  kill(): void {
    this.#kill({ kind: 'crashed', how: 'the node is stopping' });
  }

  #kill(ended: Ended): void {
    this.#gone ??= ended.kind;
    this.#child.kill('SIGKILL');
    this.#end?.(ended);
  }

  #broken(bounds: Bounds, beforeMs: number | undefined, tookMs: number): keyof Bounds | undefined {
    const use = resourceUse(this.#child.pid ?? -1);
    if ((use === undefined ? tookMs : use.cpuMs - (beforeMs ?? 0)) > bounds.cpuMsMax) return 'cpuMsMax';
    if (use !== undefined && use.rssBytes > bounds.rssBytesMax) return 'rssBytesMax';
    return tookMs > bounds.msMax ? 'msMax' : undefined;
  }

  #onMessage(told: Told): void {
    if (told === 'begun') this.#begun = true;
    else this.#end?.('out' in told ? { kind: 'done', out: told.out } : { kind: 'failed', stack: told.failed });
  }

  #lost(how: string): void {
    this.#gone ??= how;
    // A job that never began says nothing about its bytes.
    this.#end?.(this.#begun ? { kind: 'crashed', how } : new Unavailable(`no process to parse with: ${how}`));
  }

  /** Keeps the event loop alive only during a job, so that an idle process does not keep the node running. */
  #hold(on: boolean): void {
    const { channel } = this.#child;
    if (on) {
      this.#child.ref();
      channel?.ref();
    } else {
      this.#child.unref();
      channel?.unref();
    }
  }
}
