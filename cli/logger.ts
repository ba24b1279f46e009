import pino, { type Logger as PinoLogger } from 'pino';

/** JSON on stderr; readable on a terminal. Written at once, so that nothing is lost at the end. */
export async function openLogger(level: string): Promise<PinoLogger> {
  if (!process.stderr.isTTY) return pino({ level, base: null }, pino.destination({ dest: 2, sync: true }));
  const { default: pretty } = await import('pino-pretty');
  return pino({ level, base: null }, pretty({ destination: 2, sync: true }));
}
