import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Unavailable } from '../actors/domain/problem.js';
import type { Jobs } from './jobs.js';
import type { Asked, Told } from './parser-process.js';
import { resourceUse } from './resource-use.js';

/** Bounds of one job; past one of them its process is killed. */
export interface Bounds {
  readonly cpuMsMax: number;
  readonly rssBytesMax: number;
  /** All of it, waiting for a processor included. Where the system tells no CPU time, `cpuMsMax` counts as such. */
  readonly msMax: number;
}

/** How a job ended. `killed` tells which bound it broke, `crashed` how the process ended. */
export type Ended =
  | { readonly kind: 'done'; readonly out: unknown }
  | { readonly kind: 'failed'; readonly stack: string }
  | { readonly kind: 'killed'; readonly bound: keyof Bounds }
  | { readonly kind: 'crashed'; readonly how: string };

/** Between two looks at a process' use. A decoder fills some 2 GB/s, so it may be some 50 MB past its bound. */
const LOOK_MS = 25;
/** Heap for JavaScript; bytes and pictures are outside of it. Small, because garbage of one job is of no use to the next. */
const FLAGS = ['--max-old-space-size=128', '--max-semi-space-size=4'];
/**
 * The only variables: a process that may be taken over by an upload must not know secrets. glibc keeps memory for each
 * thread otherwise, and gives none of it back.
 */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2' };
/** Variables without which programs or their libraries are not found on some systems. */
const PASSED_ON = ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot', 'TZ'];

/** The built program beside this file: in the bundle it is a bundle, too. */
const program = fileURLToPath(
  new URL(import.meta.url.endsWith('.cjs') ? './parser-process.cjs' : './parser-process.js', import.meta.url),
);

/** A process that parses, and can be killed at any time. */
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
    this.#child.on('message', (told: Told) => this.#heard(told));
    this.#child.on('error', (error) => this.#lost(error.message));
    this.#child.on('exit', (code, signal) => this.#lost(`${signal ?? `code ${code}`}`));
    this.#hold(false);
  }

  /** True when it can take another job. */
  get alive(): boolean {
    return this.#gone === undefined;
  }

  /** Memory that it holds between two jobs; 0 where the system does not tell. */
  get rssBytes(): number {
    return resourceUse(this.#child.pid ?? -1)?.rssBytes ?? 0;
  }

  /** Runs one job at a time. @throws Unavailable when the process could not be started, or had ended before it began */
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
    this.#kill({ kind: 'crashed', how: 'the node ends' });
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

  #heard(told: Told): void {
    if (told === 'begun') this.#begun = true;
    else this.#end?.('out' in told ? { kind: 'done', out: told.out } : { kind: 'failed', stack: told.failed });
  }

  #lost(how: string): void {
    this.#gone ??= how;
    // A job that the process did not live to begin says nothing about its bytes.
    this.#end?.(this.#begun ? { kind: 'crashed', how } : new Unavailable(`no process to parse with: ${how}`));
  }

  /** A node that is not doing anything else may end while a process is idle. */
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
