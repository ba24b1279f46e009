import { idShard, SHARDS } from '../../actors/domain/ids.js';
import type { Placement } from '../../actors/runtime/placement/placement.js';
import type { ActorJournal } from '../../actors/runtime/state/recovery.js';
import type { StoreJournalRecord } from '../../proto/gen/types.js';
import type { Tables } from '../../store/port.js';
import type { Violations } from './invariants/violations.js';
import type { World } from './world.js';
import { journalWith, placementWith, tablesWith } from './wrapping.js';

/** An entry whose append succeeded while nobody acted under a later epoch: it must stay in the history for ever. */
export interface Appended {
  readonly actor: string;
  readonly seq: number;
  readonly epoch: number;
  readonly record: StoreJournalRecord;
}

interface Acting {
  readonly epoch: number;
  readonly node: string;
}

/** Wraps the dependencies of each node's runtime, and judges while the nodes run. */
export class Watch {
  readonly appended: Appended[] = [];
  /** The latest epoch under which a node was permitted to act, by shard. */
  private readonly acting = new Map<number, Acting>();

  constructor(
    private readonly world: World,
    private readonly violations: Violations,
  ) {}

  /**
   * The runtime asks for the epoch before it accepts a command and again before each acknowledgement: no node may get
   * an epoch after another node got a later one.
   */
  placement(node: string, inner: Placement): Placement {
    return placementWith(inner, {
      epochOf: (shard) => {
        const epoch = inner.epochOf(shard);
        if (epoch !== undefined) this.acts(node, shard, epoch);
        return epoch;
      },
    });
  }

  journal(inner: ActorJournal): ActorJournal {
    return journalWith(inner, {
      read: (actor, afterSeq, epoch) => this.read(inner, actor, afterSeq, epoch),
      append: async (actor, afterSeq, epoch, records, alongside) => {
        await inner.append(actor, afterSeq, epoch, records, alongside);
        const shard = idShard(actor.slice(actor.indexOf('/') + 1));
        if ((this.acting.get(shard)?.epoch ?? 0) > epoch) return;
        for (const [index, record] of records.entries())
          this.appended.push({ actor, seq: afterSeq + 1 + index, epoch, record });
      },
    });
  }

  /** Rows of effects are those whose write may be deferred. */
  tables(node: string, inner: Tables, placement: Pick<Placement, 'epochOf'>): Tables {
    return tablesWith(inner, {
      write: (rows, options) => {
        if (options?.deferred === true && !holdsAnything(placement)) {
          const names = [...new Set(rows.map(({ table }) => table.name))].join();
          this.violations.report('effectRowsAreWrittenUnderLease', `${this.at(node)} wrote ${names} without a lease`);
        }
        return inner.write(rows, options);
      },
    });
  }

  private acts(node: string, shard: number, epoch: number): void {
    const latest = this.acting.get(shard);
    if (latest === undefined || latest.epoch < epoch) this.acting.set(shard, { epoch, node });
    else if (latest.epoch > epoch) {
      const later = `${latest.node} acted under ${latest.epoch}`;
      this.violations.report('oneOwnerActs', `${this.at(node)} acts for shard ${shard} under ${epoch}, ${later}`);
    }
  }

  private async *read(inner: ActorJournal, actor: string, afterSeq: number, epoch: number) {
    for await (const entry of inner.read(actor, afterSeq, epoch)) {
      if (entry.epoch > epoch) {
        const what = `${actor} was read under ${epoch} beyond entry ${entry.seq} of ${entry.epoch}`;
        this.violations.report('readersStopAtLaterEpochs', what);
      }
      yield entry;
    }
  }

  private at(node: string): string {
    return `${this.world.now.toFixed(0)} ms: ${node}`;
  }
}

function holdsAnything(placement: Pick<Placement, 'epochOf'>): boolean {
  for (let shard = 0; shard < SHARDS; shard++) if (placement.epochOf(shard) !== undefined) return true;
  return false;
}
