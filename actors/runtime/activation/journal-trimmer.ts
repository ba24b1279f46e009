import type { StoreSnapshotRecord } from '../../../proto/gen/types.js';
import type { ActivationContext } from './activation-context.js';

/**
 * Removes the journal entries that no recovery needs: those before the two latest snapshots, once both lanes have
 * carried out their effects. Later owners know these entries from the snapshot: they were durable while this node owned
 * the actor.
 */
export class JournalTrimmer {
  private underWay: Promise<void> | undefined;

  constructor(
    private readonly around: ActivationContext,
    private readonly actor: string,
    /** False when another owner may be active or the activation has ended. */
    private readonly goesOn: () => boolean,
    /** Seq of the first entry in the journal; none before it is left. */
    public journalFrom: number,
  ) {}

  get idle(): boolean {
    return this.underWay === undefined;
  }

  /** Resolves when no trim is under way. */
  async ended(): Promise<void> {
    await this.underWay;
  }

  /**
   * True when enough of the journal can be removed to be worth a trim. @param kept oldest first; all are durable and
   * were read back
   */
  isDue(kept: readonly StoreSnapshotRecord[]): boolean {
    const [older] = kept;
    if (older === undefined || kept.length < 2 || this.underWay !== undefined) return false;
    return neededFrom(older) - this.journalFrom >= this.around.limits.trimEntriesMin;
  }

  /** True when the journal holds only entries that a recovery from the snapshot reads. */
  hasTrimmedFor(snapshot: StoreSnapshotRecord): boolean {
    return this.journalFrom >= neededFrom(snapshot);
  }

  /** Trims the journal in the background. */
  trim(older: StoreSnapshotRecord): void {
    const beforeSeq = neededFrom(older);
    this.underWay = this.trimTo(beforeSeq).finally(() => {
      this.underWay = undefined;
    });
  }

  private async trimTo(beforeSeq: number): Promise<void> {
    const { around, actor, goesOn } = this;
    if (!goesOn()) return;
    try {
      if (await around.journal.trim(actor, this.journalFrom, beforeSeq, goesOn)) this.journalFrom = beforeSeq;
    } catch (error) {
      around.logger.warn({ actor, beforeSeq, err: error }, 'failed to trim a journal');
    }
  }
}

/**
 * Returns the first entry that a recovery from the snapshot reads. Recovery compares the snapshot's entry with the
 * journal's, which continues from the entry before it. Lanes continue from the last entry that each has done.
 */
function neededFrom({ seq, beforeReply, afterReply }: StoreSnapshotRecord): number {
  return Math.min(seq - 1, beforeReply, afterReply);
}
