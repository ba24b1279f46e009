import { operatorClient } from '../../../cli/operator-socket.js';
import type { LoadUser } from '../../kit/posting-load.js';

/** Hashing a password takes long, and memory. */
const AT_ONCE = 2;
const SCOPES = 'read write follow push';

/** Someone with an account, a token and a password. */
export interface Person extends LoadUser {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** Makes confirmed accounts as an operator does, at the node with that folder. */
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

/** An API call that must succeed. */
export async function call(url: string, person: Person, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}
