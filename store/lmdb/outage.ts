import type { StoreLog } from '../store-log.js';

/** Says once that the store cannot write, and once that it can again. */
export class Outage {
  private lasts = false;

  constructor(private readonly log: StoreLog) {}

  /** After each write, with its error if it failed. */
  readonly outcome = (error?: Error): void => {
    if ((error !== undefined) === this.lasts) return;
    this.lasts = error !== undefined;
    if (error === undefined) this.log.info({}, 'the store takes writes again');
    else this.log.error({ err: error }, `the store cannot write: ${error.message}`);
  };
}
