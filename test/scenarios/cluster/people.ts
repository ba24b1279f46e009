import { randomUUID } from 'node:crypto';
import { operatorClient } from '../../../cli/operator-socket.js';
import type { LoadUser } from '../../kit/network/posting-load.js';

/** Accounts created at a time: hashing a password takes long, and memory. */
const AT_ONCE = 2;
/**
 * Maximum number of refusals of one call: a takeover takes ten seconds, and a cluster that refuses for longer does not
 * serve.
 */
const REFUSALS_MAX = 10;
const SCOPES = 'read write follow push';

/** A user with an account, a token and a password. */
export interface Person extends LoadUser {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** Creates confirmed accounts as an operator does, at the node with that folder. */
export async function makePeople(dataDir: string, names: readonly string[]): Promise<Person[]> {
  const operate = operatorClient(dataDir);
  const make = async (name: string): Promise<Person> => {
    const identity = { email: `${name}@example.org`, password: 'correct horse battery' };
    const wanted = { username: name, ...identity, confirmed: true, token: { scopes: SCOPES } };
    const { id, token = '' } = await operate('account.create', wanted);
    return { id, name, ...identity, token };
  };
  const open = [...names.keys()];
  const people: Person[] = [];
  const work = async () => {
    for (let next = open.shift(); next !== undefined; next = open.shift())
      people[next] = await make(names[next] as string);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return people;
}

/**
 * Makes an API call that must succeed. A refusal by an overloaded node (503) is repeated as clients should: with the
 * same key, so that only one thing is created.
 */
export async function call(url: string, person: Person, method: string, path: string, body?: object): Promise<unknown> {
  const headers = {
    authorization: `Bearer ${person.token}`,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  for (let refused = 0; ; refused++) {
    const response = await fetch(`${url}${path}`, init);
    const text = await response.text();
    if (response.status === 200) return JSON.parse(text);
    if (response.status !== 503 || refused === REFUSALS_MAX)
      throw new Error(`${method} ${path}: ${response.status} ${text}`);
    const seconds = Number(response.headers.get('retry-after') ?? 1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  }
}
