import { hash } from 'node:crypto';
import { isProblem, type Problem, problem } from '../../actors/domain/problem.js';
import { JsonPieces } from './json-pieces.js';
import { type Answer, type AnyRoute, JsonText, type Request } from './route.js';

/** Longest key: a UUID and more fits. */
const KEY_CHARS_MAX = 256;
/**
 * Longest answer that is stored. After a longer answer the request may run again, but its commands still take effect
 * only once.
 */
const KEPT_CHARS_MAX = 65_536;
/** Polls of a request that runs elsewhere. After the last one the client gets a 503 and may retry. */
const LOOKS_MAX = 20;
const LOOK_EVERY_MS = 100;
/** Characters of base64: 132 bits, so that a collision is out of the question. */
const ONCE_CHARS = 22;

/** Properties that all repeats of a request share. */
export interface Repeated {
  readonly idempotent: string;
  /** Undefined: the request creates nothing under an id. */
  readonly newId: string | undefined;
}
/** A request that accepts the properties of its repeats. */
type Keyed = Request<never, never, never> & { repeats(repeated: Repeated): void };
type Handled = Answer | Problem;

/**
 * Runs a request only once for its `Idempotency-Key`, on whichever nodes it arrives, for an hour. This holds even if
 * the outcome of the first attempt is unknown. A refused request may be tried again.
 */
export function once(request: Keyed, route: AnyRoute, path: string, key: string): Handled | Promise<Handled> {
  if (key.length > KEY_CHARS_MAX)
    return problem('bad_request', `Idempotency-Key is longer than ${KEY_CHARS_MAX} characters`);
  const { viewer = '', bearer } = request;
  const place = `${route.method} ${path}`;
  if (route.idempotent === 'command') {
    request.repeats({ idempotent: onceOf(nameOf(viewer, place, key)), newId: undefined });
    return route.handle(request);
  }
  const said = route.idempotent === 'id' ? [JSON.stringify(declared(route, request.body))] : [];
  return underOneId(request, route, nameOf(viewer, bearer?.clientId ?? '', place, key, ...said));
}

/** Returns the fields that the route declares. Other fields may be nested too deep to be written as JSON. */
function declared({ body: schema }: AnyRoute, body: object): object {
  const names = Object.keys(schema?.properties ?? {});
  return Object.fromEntries(names.map((name) => [name, Reflect.get(body, name)]));
}

const nameOf = (...parts: readonly string[]): string => hash('sha256', parts.join('\0'), 'base64url');
const onceOf = (name: string): string => name.slice(0, ONCE_CHARS);

async function underOneId(request: Keyed, route: AnyRoute, name: string): Promise<Handled> {
  const { services } = request;
  for (let look = 0; look < LOOKS_MAX; look++) {
    const found = await services.registry.claimAnswer(name, await services.newAccountId());
    if (found !== 'pending' && 'newId' in found) {
      request.repeats({ idempotent: onceOf(name), newId: found.newId });
      return carryOut(request, route, name);
    }
    if (found !== 'pending') return { status: found.status, body: new JsonText(found.body) };
    await new Promise<void>((resolve) => void services.clock.after(LOOK_EVERY_MS, resolve));
  }
  return problem('unavailable', 'A request with the same Idempotency-Key is still running, please try again');
}

async function carryOut(request: Keyed, route: AnyRoute, name: string): Promise<Handled> {
  let answer: Handled | undefined;
  try {
    answer = await route.handle(request);
    return answer;
  } finally {
    const body = answer === undefined || isProblem(answer) ? undefined : jsonOf(answer.body);
    const isKept = route.idempotent === 'answer' && body !== undefined && body.length <= KEPT_CHARS_MAX;
    const { status } = answer !== undefined && 'status' in answer ? answer : { status: 0 };
    await request.services.registry.keepAnswer(name, isKept ? { status, body } : undefined);
  }
}

/** Returns a handler's body as the JSON that is sent. */
export function jsonOf(body: unknown): string {
  if (body instanceof JsonPieces) return body.toString();
  if (!(body instanceof JsonText)) return JSON.stringify(body);
  return typeof body.text === 'string' ? body.text : Buffer.from(body.text).toString();
}
