import type { Problem } from '../../../actors/domain/problem.js';

/** A form of a page with a field that its schema refuses. */
export interface RefusedForm {
  readonly problem: Problem;
  /** All texts that the form sent, as typed. */
  readonly typed: Readonly<Record<string, string>>;
}

/** Returns what the page needs to show a refused form again. */
export function refusedForm(problem: Problem, sent: object): RefusedForm {
  const texts = Object.entries(sent).filter(([, value]) => typeof value === 'string');
  return { problem, typed: Object.fromEntries(texts) };
}
