import { type Problem, problem } from './problem.js';

// Whatever is the reason: it is not there, its author blocks who asks, or it may not be seen. All look the same.

/** What is to be answered does not exist for who answers. */
export const noParent = (): Problem =>
  problem('not_found', 'The post you are trying to reply to does not appear to exist.');

/** The same of what is to be quoted. */
export const noQuoted = (): Problem =>
  problem('not_found', 'The post you are trying to quote does not appear to exist.');
