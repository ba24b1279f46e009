import { JournalConflict, JournalTrimmed } from '../../../store/journal.js';
import { Unavailable } from '../../domain/problem.js';
import { NotTaken } from '../asking/delivery.js';
import type { ActivationContext } from './activation-context.js';

/**
 * Logs why an activation ended whose turn failed, and counts crashes. Returns the error for its undecided commands, or
 * undefined when these may be sent again.
 */
export function reportEnd(
  { logger, metrics }: Pick<ActivationContext, 'logger' | 'metrics'>,
  actor: string,
  seq: number | undefined,
  error: Error,
): Error | undefined {
  const fields = { actor, seq, err: error };
  if (error instanceof NotTaken) return undefined;
  if (error instanceof JournalConflict) {
    logger.warn(fields, 'stopped an activation: another node owns the actor');
    return undefined;
  }
  if (error instanceof Unavailable) {
    logger.warn(fields, 'stopped an activation: the store or the shard is unavailable');
    return error;
  }
  metrics.crashes += 1;
  const isLost = error instanceof JournalTrimmed;
  logger.error(
    fields,
    isLost ? 'failed to activate an actor: no snapshot can be read' : 'failed to finish a turn of an actor',
  );
  return new Error(`${actor} failed`, { cause: error });
}
