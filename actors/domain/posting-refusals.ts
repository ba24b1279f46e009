import { type Problem, problem } from './problem.js';

// The refusal is the same whether the status does not exist, its author blocks the caller, or the caller may not see
// it.

/** Returns the refusal of a reply to a status that does not exist for the caller. */
export const noParent = (): Problem =>
  problem('not_found', 'The post you are trying to reply to does not appear to exist.');

/** Returns the refusal of a quote of a status that does not exist for the caller. */
export const noQuoted = (): Problem =>
  problem('not_found', 'The post you are trying to quote does not appear to exist.');
