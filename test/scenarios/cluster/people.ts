import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { LoadUser } from '../../kit/posting-load.js';

const run = promisify(execFile);

/** Each is a process of its own. */
const AT_ONCE = 2;

/** Someone with an account, a token and a password. */
export interface Person extends LoadUser {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** Makes confirmed accounts with the command line, as an operator does. `cli` is bin/murmuration.mjs. */
export async function makePeople(
  cli: string,
  dataDir: string,
  names: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Person[]> {
  const env = { ...process.env, ...settings, MURMURATION_DATA_DIR: dataDir };
  const make = async (name: string): Promise<Person> => {
    const email = `${name}@example.org`;
    const password = 'correct horse battery';
    const made = await run(
      process.execPath,
      [cli, 'account', 'create', name, '--email', email, '--password', password, '--confirmed'],
      { env },
    );
    const { id } = JSON.parse(made.stdout) as { id: string };
    const token = await run(process.execPath, [cli, 'token', 'create', name, '--scopes', 'read write follow push'], {
      env,
    });
    return { id, name, email, password, token: token.stdout.trim() };
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
