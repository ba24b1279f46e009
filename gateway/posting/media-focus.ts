import { type Problem, problem } from '../../actors/domain/problem.js';

/** Parses `x,y`, each from -1 to 1. */
export function focusOf(text: string): { x: number; y: number } | Problem {
  const parts = text.split(',').map((part) => part.trim());
  const numbers = parts.map((part) => (/^[+-]?\d*(?:\.\d+)?$/.test(part) ? Number(part) : Number.NaN));
  const [x = Number.NaN, y = Number.NaN] = numbers;
  if (numbers.length === 2 && Math.abs(x) <= 1 && Math.abs(y) <= 1) return { x, y };
  const description = 'must be two numbers from -1 to 1 with a comma between';
  return problem('invalid', `Validation failed: Focus ${description}`, {
    focus: [{ error: 'ERR_INVALID', description }],
  });
}
