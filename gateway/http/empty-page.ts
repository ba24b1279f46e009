import type { TSchema } from '@sinclair/typebox';
import { isProblem, type Problem } from '../../actors/domain/problem.js';
import { jsonOf } from './once.js';
import type { Answer } from './route.js';

/** Whether its query says how long a page is to be (limitQuery). */
export const isPaged = (query: TSchema | undefined): boolean => query?.properties?.limit?.pageSize === true;

/** Whether somebody asks for a page without anything on it. */
export const asksForNone = (limit: unknown): boolean => typeof limit === 'string' && /^[+-]?0{1,15}$/.test(limit);

/**
 * What is answered to whoever asks for a page of nothing, as at Mastodon: the answer to the shortest page without what
 * is on it, and without a way to others.
 */
export async function emptied(handled: Answer | Problem | Promise<Answer | Problem>): Promise<Answer | Problem> {
  const answer = await handled;
  if (isProblem(answer) || answer.status !== 200) return answer;
  const { link: _, ...headers } = answer.headers ?? {};
  return { status: 200, headers, body: isJson(answer) ? without(JSON.parse(jsonOf(answer.body))) : new Uint8Array(0) };
}

/** Other forms have no letters for what is not there: an image index of nothing is nothing. */
const isJson = ({ headers }: Answer): boolean => (headers?.['content-type'] ?? 'application/json').includes('json');

/** Lists are empty, what was counted is none. */
function without(body: unknown): unknown {
  if (Array.isArray(body)) return [];
  const parts = Object.entries(body as object);
  return Object.fromEntries(parts.map(([name, part]) => [name, Array.isArray(part) ? [] : noneOf(part)]));
}

const noneOf = (part: unknown): unknown => (typeof part === 'number' ? 0 : part);
