import { Visitor } from '../../../kit/network/visitor.js';
import type { TestServer } from '../../../kit/services/server.js';
import { PASSWORD } from '../../oauth/stage.js';

/** Signs a person in with a browser, which gets pages instead of JSON. */
export async function signedIn(server: TestServer, login: string): Promise<Visitor> {
  const visitor = new Visitor(server, { accept: 'text/html' });
  await visitor.get('/auth/sign_in');
  await visitor.submit('/auth/sign_in', { login, password: PASSWORD });
  return visitor;
}

/** Sends a file by the import form of the list at `path`; without a text, an empty field. */
export async function sendFile(
  server: TestServer,
  visitor: Visitor,
  path: string,
  text: string | undefined,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  await visitor.get(path);
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...visitor.hidden(`${path}/import`), ...more })) form.set(name, value);
  if (text !== undefined) form.set('file', new Blob([text], { type: 'text/csv' }), 'list.csv');
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { cookie, accept: 'text/html' };
  return server.send(`${path}/import`, { method: 'POST', body: form, redirect: 'manual', headers });
}
