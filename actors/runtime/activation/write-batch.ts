import { type RowWrite, type Tables, WRITE_ROWS_MAX } from '../../../store/port.js';

/**
 * Batches rows of many actors into one write, with one promise: actors that become idle together are saved together.
 * The outcome is common: if the write fails, all of its actors try again later.
 */
export class WriteBatch {
  private rows: RowWrite[] = [];
  private outcome: Promise<void> | undefined;

  constructor(private readonly tables: Pick<Tables, 'write'>) {}

  /**
   * Adds rows to the next write, which is sent in the next microtask. Durable when resolved. Pass far fewer rows than
   * one write may have.
   */
  write(rows: readonly RowWrite[]): Promise<void> {
    if (this.rows.length + rows.length > WRITE_ROWS_MAX) {
      // The earlier rows are sent by their own pending promise.
      this.rows = [];
      this.outcome = undefined;
    }
    const { rows: together } = this;
    for (const row of rows) together.push(row);
    this.outcome ??= Promise.resolve().then(() => {
      if (this.rows === together) {
        this.rows = [];
        this.outcome = undefined;
      }
      return this.tables.write(together);
    });
    return this.outcome;
  }
}
