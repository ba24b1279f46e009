import type { StoreSnapshotRecord } from '../../../proto/gen/types.js';
import type { Surroundings } from './activation-context.js';

/**
 * Removes the entries of an actor's journal that no recovery needs any more: those before its two latest snapshots,
 * once the effects of both lanes were done behind them. What it removes is known to every later owner: an entry that a
 * snapshot holds was durable while this node owned the actor.
 */
export class JournalTrimmer {
  private underWay: Promise<void> | undefined;

  constructor(
    private readonly around: Surroundings,
    private readonly actor: string,
    /** False: another owner may be at work, or the activation has ended. */
    private readonly goesOn: () => boolean,
    /** The journal has no entries before this one. */
    public journalFrom: number,
  ) {}

  get idle(): boolean {
    return this.underWay === undefined;
  }

  /** Resolves when no trim is under way. */
  async ended(): Promise<void> {
    await this.underWay;
  }

  /** So much of the journal can go that it is trimmed. @param kept oldest first; all are durable, as read back */
  isDue(kept: readonly StoreSnapshotRecord[]): boolean {
    const [older] = kept;
    if (older === undefined || kept.length < 2 || this.underWay !== undefined) return false;
    return neededFrom(older) - this.journalFrom >= this.around.limits.trimEntriesMin;
  }

  /** Nothing is left that a recovery from the snapshot does not read. */
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
 * The first entry that a recovery from the snapshot reads. It compares the snapshot's own with the journal's, which has
 * to be written upon the one before; lanes go on from the last entry that each has done.
 */
function neededFrom({ seq, beforeReply, afterReply }: StoreSnapshotRecord): number {
  return Math.min(seq - 1, beforeReply, afterReply);
}
