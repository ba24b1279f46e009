import { type Answer, json } from './route.js';

const READY = '/health/ready';
const LIVE = new Set(['/health/live', '/api/v1/streaming/health']);
const PATHS = new Set(['/health', READY, ...LIVE]);

/**
 * Returns true for health paths. They are not routes, because they need neither tokens nor parsing. Any method is
 * accepted.
 */
export const isHealthPath = (path: string): boolean => PATHS.has(path);

/** Answers a path for which `isHealthPath` is true. */
export async function healthAnswer(path: string, ready: () => Promise<boolean> | boolean): Promise<Answer> {
  if (LIVE.has(path)) return text(200, 'OK');
  const answer = await ready();
  if (path === READY) return answer ? json({ ready: true }) : { status: 503, body: { ready: false } };
  return answer ? text(200, 'OK') : text(503, 'not ready');
}

function text(status: number, body: string): Answer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}
