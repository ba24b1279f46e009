import { hash } from 'node:crypto';
import { isProblem, type Problem, problem } from '../../actors/domain/problem.js';
import { JsonPieces } from './json-pieces.js';
import { type Answer, type AnyRoute, JsonText, type Request } from './route.js';

/** What a client needs for a UUID and more. */
const KEY_CHARS_MAX = 256;
/** An answer that is longer is not kept, and the request may be carried out again: its commands still are but once. */
const KEPT_CHARS_MAX = 65_536;
/** Looks at a request that is under way elsewhere; then the client is told to come back. */
const LOOKS_MAX = 20;
const LOOK_EVERY_MS = 100;
/** Of base64: 132 bits, which nobody hits twice. */
const ONCE_CHARS = 22;

/** What repeats of a request have in common. */
export interface Repeated {
  readonly once: string;
  /** Undefined: nothing is made under it. */
  readonly newId: string | undefined;
}
/** A request that can be told of which it may be a repeat. */
type Keyed = Request<never, never, never> & { repeats(repeated: Repeated): void };
type Handled = Answer | Problem;

/**
 * Carries a request out once for its `Idempotency-Key`, whichever nodes get it, for an hour: also when the first ended in
 * doubt. What was refused may be tried again.
 */
export function once(request: Keyed, route: AnyRoute, path: string, key: string): Handled | Promise<Handled> {
  if (key.length > KEY_CHARS_MAX)
    return problem('bad_request', `Idempotency-Key is longer than ${KEY_CHARS_MAX} characters`);
  const { viewer = '', bearer } = request;
  const place = `${route.method} ${path}`;
  if (route.idempotent === 'command') {
    request.repeats({ once: onceOf(nameOf(viewer, place, key)), newId: undefined });
    return route.handle(request);
  }
  const said = route.idempotent === 'id' ? [JSON.stringify(declared(route, request.body))] : [];
  return underOneId(request, route, nameOf(viewer, bearer?.clientId ?? '', place, key, ...said));
}

/** The fields that the route declares. Others may be nested deeper than JSON can be written. */
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
      request.repeats({ once: onceOf(name), newId: found.newId });
      return carryOut(request, route, name);
    }
    if (found !== 'pending') return { status: found.status, body: new JsonText(found.body) };
    await new Promise<void>((resolve) => void services.clock.after(LOOK_EVERY_MS, resolve));
  }
  return problem('unavailable', 'A request with the same Idempotency-Key is still under way');
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

/** What a handler answers, as it is sent. */
export function jsonOf(body: unknown): string {
  if (body instanceof JsonPieces) return body.toString();
  if (!(body instanceof JsonText)) return JSON.stringify(body);
  return typeof body.text === 'string' ? body.text : Buffer.from(body.text).toString();
}
