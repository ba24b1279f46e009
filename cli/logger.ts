import pino, { type Logger as PinoLogger } from 'pino';

/**
 * JSON on stderr, each line with the node's name and process id; readable on a terminal. Written at once, so that nothing
 * is lost at the end.
 */
export async function openLogger(level: string, node: string): Promise<PinoLogger> {
  const base = { node, pid: process.pid };
  if (!process.stderr.isTTY) return pino({ level, base }, pino.destination({ dest: 2, sync: true }));
  const { default: pretty } = await import('pino-pretty');
  return pino({ level, base }, pretty({ destination: 2, sync: true, ignore: 'pid,node' }));
}
