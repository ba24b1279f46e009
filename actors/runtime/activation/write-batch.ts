import { type RowWrite, type Tables, WRITE_ROWS_MAX } from '../../../store/port.js';

/**
 * Rows of many actors in one write: what comes to rest together is saved together, one promise for all of them. Whether
 * it happened is then the same for all: a failure of one row is everyone's, who try again later.
 */
export class JointWrites {
  private rows: RowWrite[] = [];
  private outcome: Promise<void> | undefined;

  constructor(private readonly tables: Pick<Tables, 'write'>) {}

  /** Durable when resolved; sent once whoever runs now has run. Far fewer rows than one write may have. */
  write(rows: readonly RowWrite[]): Promise<void> {
    if (this.rows.length + rows.length > WRITE_ROWS_MAX) {
      // Those before have their promise already, and it sends what it finds.
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
