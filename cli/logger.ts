import pino, { type Logger as PinoLogger } from 'pino';

/**
 * Opens a log as JSON on stderr, each line with the node's name and process id; readable on a terminal. Writes
 * synchronously, so that the last lines of a process are not lost.
 */
export async function openLogger(level: string, node: string): Promise<PinoLogger> {
  const base = { node, pid: process.pid };
  if (!process.stderr.isTTY) return pino({ level, base }, pino.destination({ dest: 2, sync: true }));
  const { default: pretty } = await import('pino-pretty');
  return pino({ level, base }, pretty({ destination: 2, sync: true, ignore: 'pid,node' }));
}
