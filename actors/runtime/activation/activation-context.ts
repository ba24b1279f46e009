import type { Tables } from '../../../store/port.js';
import type { Clock, Deadlines, Random } from '../../domain/time.js';
import type { Message } from '../asking/delivery.js';
import type { AlarmRow } from '../effects/alarm-row.js';
import type { RuntimeLimits } from '../limits.js';
import type { Logger } from '../logger.js';
import type { RuntimeMetrics } from '../metrics.js';
import type { Placement } from '../placement/placement.js';
import type { SteadyClock } from '../placement/steady-clock.js';
import type { ActorJournal } from '../state/recovery.js';
import type { FreshIds } from './fresh-ids.js';
import type { PassivationTimer } from './passivation.js';
import type { WriteBatch } from './write-batch.js';

/** The dependencies that all activations of a runtime share. */
export interface ActivationContext {
  readonly tables: Tables;
  readonly journal: ActorJournal;
  readonly placement: Placement;
  readonly clock: Clock;
  /** Clock of ids (`StampClock`). */
  readonly stamps: Pick<Clock, 'nowMs'>;
  readonly steady: SteadyClock;
  readonly random: Random;
  readonly logger: Logger;
  readonly limits: RuntimeLimits;
  readonly metrics: RuntimeMetrics;
  readonly deadlines: Deadlines;
  /** Ids of actors for which the store cannot hold anything yet. */
  readonly fresh: FreshIds;
  /** Checks whether an actor is idle. */
  readonly passivation: PassivationTimer;
  /** The same check with a shorter delay, for new actors. */
  readonly shortLived: PassivationTimer;
  /** Batches the writes of cursors and backlog rows of many actors. */
  readonly writeBatch: WriteBatch;
  /** Sends a command to the actor, wherever it lives, and resolves to its reply. @throws Unavailable */
  send(message: Message, timeoutMs: number): Promise<unknown>;
  publish(subject: string, payload: Uint8Array): void;
  /** Receives each alarm of an actor of this node once its row is written. */
  readonly alarmSet: (alarm: AlarmRow) => void;
  /**
   * Resolves when every other node has received what this node published before, or has missed its deadline. Undefined
   * when there is nothing to wait for.
   */
  invalidated(): Promise<void> | undefined;
}
