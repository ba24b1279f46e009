import { NoAnswer } from './client.js';

/** A status as any of these servers answers it, as far as it matters here. */
export interface StatusJson {
  readonly id: string;
  readonly content: string;
  readonly created_at: string;
  readonly reblog?: object | null;
}

/**
 * What a server answered. A good status says nothing of the rest: it may be a page for people, or half of something.
 * @throws NoAnswer when it is no object
 */
export function objectIn(text: string): Readonly<Record<string, unknown>> {
  const json = parsed(text);
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new NoAnswer('no object');
  return json as Readonly<Record<string, unknown>>;
}

/** @throws NoAnswer when it is no list of statuses */
export function statusesIn(text: string): readonly StatusJson[] {
  const json = parsed(text);
  if (!Array.isArray(json)) throw new NoAnswer('no list');
  if (!json.every(isStatus)) throw new NoAnswer('no statuses');
  return json;
}

/** @throws NoAnswer when it is no status */
export function statusIn(text: string): StatusJson {
  const json = parsed(text);
  if (!isStatus(json)) throw new NoAnswer('no status');
  return json;
}

function isStatus(json: unknown): json is StatusJson {
  const { id, content } = (json ?? {}) as Partial<Record<keyof StatusJson, unknown>>;
  return typeof id === 'string' && typeof content === 'string';
}

/** @throws NoAnswer */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new NoAnswer('no JSON');
  }
}
