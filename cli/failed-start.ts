import { AssertionError } from 'node:assert';
import type { Logger as PinoLogger } from 'pino';

/** Errors of the program itself, which need their stack. */
const FAULTS = [TypeError, ReferenceError, SyntaxError, RangeError, AssertionError];

/** Returns true for an error of the program itself, which no operator can fix. */
export const isFault = (error: unknown): boolean => FAULTS.some((fault) => error instanceof fault);

/**
 * Reports why the node cannot start or continue: one line for people on a terminal, one line at level fatal in a log.
 */
export function reportFailedStart(
  error: unknown,
  logger: Pick<PinoLogger, 'fatal'>,
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>,
): void {
  const why = oneLine(error instanceof Error ? error.message : String(error));
  const withStack = isFault(error);
  if (stream.isTTY && !withStack) stream.write(`murmuration: cannot start: ${why}\n`);
  else logger.fatal({ why, ...(withStack ? { err: error } : {}) }, 'cannot start');
}

function oneLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}
