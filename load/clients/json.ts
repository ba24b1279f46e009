import { NoAnswer } from './client.js';

/** A status as these servers return it; only the fields that matter here. */
export interface StatusJson {
  readonly id: string;
  readonly content: string;
  readonly created_at: string;
  readonly reblog?: object | null;
}

/**
 * Parses an answer as an object. A good HTTP status proves nothing: the body may be a page for people, or incomplete.
 * @throws NoAnswer when it is not an object
 */
export function objectIn(text: string): Readonly<Record<string, unknown>> {
  const json = parsed(text);
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new NoAnswer('no object');
  return json as Readonly<Record<string, unknown>>;
}

/** Parses a list of statuses. @throws NoAnswer when it is not one */
export function statusesIn(text: string): readonly StatusJson[] {
  const json = parsed(text);
  if (!Array.isArray(json)) throw new NoAnswer('no list');
  if (!json.every(isStatus)) throw new NoAnswer('no statuses');
  return json;
}

/** Parses a status. @throws NoAnswer when it is not one */
export function statusIn(text: string): StatusJson {
  const json = parsed(text);
  if (!isStatus(json)) throw new NoAnswer('no status');
  return json;
}

function isStatus(json: unknown): json is StatusJson {
  const { id, content } = (json ?? {}) as Partial<Record<keyof StatusJson, unknown>>;
  return typeof id === 'string' && typeof content === 'string';
}

/** Parses JSON. @throws NoAnswer */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new NoAnswer('no JSON');
  }
}
