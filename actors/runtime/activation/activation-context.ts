import type { Tables } from '../../../store/port.js';
import type { Clock, Random } from '../../domain/time.js';
import type { Deadlines } from '../asking/deadlines.js';
import type { Message } from '../asking/delivery.js';
import type { RuntimeLimits } from '../limits.js';
import type { Logger } from '../logger.js';
import type { RuntimeMetrics } from '../metrics.js';
import type { Placement } from '../placement/placement.js';
import type { SteadyClock } from '../placement/steady-clock.js';
import type { ActorJournal } from '../state/recovery.js';
import type { FreshIds } from './fresh-ids.js';
import type { Quieting } from './passivation.js';
import type { JointWrites } from './write-batch.js';

/** What all activations of a runtime share. */
export interface Surroundings {
  readonly tables: Tables;
  readonly journal: ActorJournal;
  readonly placement: Placement;
  readonly clock: Clock;
  readonly steady: SteadyClock;
  readonly random: Random;
  readonly logger: Logger;
  readonly limits: RuntimeLimits;
  readonly metrics: RuntimeMetrics;
  readonly deadlines: Deadlines;
  /** Whose actors nobody can have stored anything of. */
  readonly fresh: FreshIds;
  /** When to look whether an actor has come to rest. */
  readonly quieting: Quieting;
  /** The same, of actors that are new. */
  readonly fleeting: Quieting;
  /** For cursors and what goes with them. */
  readonly joint: JointWrites;
  /** To the actor, wherever it is; resolves to its reply. @throws Unavailable */
  send(message: Message, timeoutMs: number): Promise<unknown>;
  publish(subject: string, payload: Uint8Array): void;
  /** Resolves when all other nodes have heard what this one published before, or had their time; undefined: at once. */
  heard(): Promise<void> | undefined;
}
