import { Unavailable } from '../actors/domain/problem.js';
import type { MediaParsers } from '../media/workshop.js';
import type { PageReader } from '../transport/web/link-pages.js';
import { type Bounds, ChildParser, type Ended } from './child-parser.js';
import type { Jobs } from './jobs.js';
import type { Asked } from './parser-process.js';
import { Turns } from './turns.js';

/** The log of the pool; a pino logger fits. */
export interface ParserLog {
  warn(fields: object, message: string): void;
}

/** Maximum number of processes: more would take processors from the node itself. */
const PROCESSES_MAX = 2;
/** Maximum number of waiting jobs, whose bytes are in memory: some 500 MB if all are pictures of the largest size. */
const WAITING_MAX = 32;
/** Time after which an idle process ends, to return its memory. */
const IDLE_MS = 30_000;
/** Maximum memory of a process between two jobs; a process with more ends. */
const IDLE_RSS_BYTES_MAX = 192 * 1_048_576;
/** Duration limit that only machines without CPU times of processes reach. */
const JOB_MS_MAX = 60_000;
/** Limits for headers and pages: honest ones take far less, even in a process that has just started. */
const HEADER: Bounds = { cpuMsMax: 2_000, rssBytesMax: 384 * 1_048_576, msMax: JOB_MS_MAX };
/**
 * Limits for pictures. Honest ones of 33 megapixels take up to 4 s (WebP) and 720 MB (AVIF, whose decoder holds several
 * copies; PNG of 16 bits 420 MB, JPEG 240 MB). Photographs of 12 megapixels take some 0.4 s and 150 MB.
 */
const PICTURE: Bounds = { cpuMsMax: 15_000, rssBytesMax: 768 * 1_048_576, msMax: JOB_MS_MAX };
const BOUNDS: Readonly<Record<keyof Jobs, Bounds>> = {
  showable: PICTURE,
  cut: PICTURE,
  small: PICTURE,
  previewOf: PICTURE,
  probe: HEADER,
  readPage: HEADER,
  saysMe: HEADER,
};

/**
 * Parses bytes from strangers in separate processes (ADR 23): bytes that are crafted to take hours, gigabytes or to
 * crash the parser do not affect the node. Processes start on demand and end when they are idle.
 */
export class ParserPool implements MediaParsers, PageReader {
  readonly #turns = new Turns(PROCESSES_MAX, WAITING_MAX);
  readonly #log: ParserLog;
  readonly #all = new Set<ChildParser>();
  #idle: { readonly parser: ChildParser; readonly timer: NodeJS.Timeout }[] = [];
  #isClosed = false;

  constructor(log: ParserLog) {
    this.#log = log;
  }

  /** True when a job would begin at once. */
  get free(): boolean {
    return this.#turns.free;
  }

  showable: MediaParsers['showable'] = (bytes, format) => this.#run('showable', { bytes, format });
  cut: MediaParsers['cut'] = (bytes, width, height) => this.#run('cut', { bytes, width, height });
  small: MediaParsers['small'] = (bytes, side) => this.#run('small', { bytes, side });
  previewOf: MediaParsers['previewOf'] = (bytes) => this.#run('previewOf', { bytes });
  probe: MediaParsers['probe'] = (excerpt) => this.#run('probe', { excerpt });
  readPage: PageReader['readPage'] = (bytes, type) => this.#run('readPage', { bytes, type });
  saysMe: PageReader['saysMe'] = async (bytes, type, address) =>
    (await this.#run('saysMe', { bytes, type, address })) ?? false;

  /** Kills running jobs. */
  close(): void {
    this.#isClosed = true;
    for (const { timer } of this.#idle) clearTimeout(timer);
    for (const parser of this.#all) parser.kill();
    this.#all.clear();
    this.#idle = [];
  }

  /**
   * Runs a job. Undefined: the parser rejected the bytes, exceeded a limit, or crashed. @throws Unavailable too many
   * jobs wait
   */
  #run<J extends keyof Jobs>(job: J, input: Jobs[J]['in']): Promise<Jobs[J]['out'] | undefined> {
    return this.#turns.take(async () => {
      if (this.#isClosed) throw new Unavailable('the node is stopping');
      const ended = await this.#runIn({ job, input });
      if (ended.kind === 'done') return ended.out as Jobs[J]['out'];
      if (this.#isClosed) throw new Unavailable('the node is stopping');
      if (ended.kind === 'failed') throw new Error(`a parser failed at ${job}: ${ended.stack}`);
      this.#log.warn({ job, ...ended }, 'rejected bytes that exceeded a limit of a parser or crashed it');
      return undefined;
    });
  }

  /**
   * Runs a job in an idle process, which may have ended a moment ago without notice yet: a new one then takes the job.
   */
  async #runIn<J extends keyof Jobs>(asked: Asked<J>): Promise<Ended> {
    const rested = this.#rested();
    if (rested !== undefined) {
      const ended = await this.#use(rested, asked).catch(unlessUnavailable);
      if (ended !== undefined) return ended;
    }
    if (this.#isClosed) throw new Unavailable('the node is stopping');
    const made = new ChildParser();
    this.#all.add(made);
    return this.#use(made, asked);
  }

  async #use<J extends keyof Jobs>(parser: ChildParser, asked: Asked<J>): Promise<Ended> {
    try {
      return await parser.run(asked, BOUNDS[asked.job]);
    } finally {
      this.#rest(parser);
    }
  }

  #rested(): ChildParser | undefined {
    const rested = this.#idle.pop();
    clearTimeout(rested?.timer);
    if (rested?.parser.alive === true) return rested.parser;
    if (rested !== undefined) this.#all.delete(rested.parser);
    return undefined;
  }

  #rest(parser: ChildParser): void {
    if (this.#isClosed || !parser.alive || parser.rssBytes > IDLE_RSS_BYTES_MAX) {
      this.#end(parser);
      return;
    }
    const timer = setTimeout(() => {
      this.#idle = this.#idle.filter((one) => one.parser !== parser);
      this.#end(parser);
    }, IDLE_MS);
    this.#idle.push({ parser, timer: timer.unref() });
  }

  #end(parser: ChildParser): void {
    this.#all.delete(parser);
    parser.kill();
  }
}

function unlessUnavailable(error: unknown): undefined {
  if (!(error instanceof Unavailable)) throw error;
}
