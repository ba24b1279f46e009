import type { StoreLog } from '../store-log.js';

/** Logs the beginning of an outage once, and its end once. */
export class Outage {
  private lasts = false;

  constructor(private readonly log: StoreLog) {}

  /** Takes the outcome of each write: its error if it failed. */
  readonly outcome = (error?: Error): void => {
    if ((error !== undefined) === this.lasts) return;
    this.lasts = error !== undefined;
    if (error === undefined) this.log.info({}, 'the store takes writes again');
    else this.log.error({ err: error }, `the store cannot write: ${error.message}`);
  };
}
