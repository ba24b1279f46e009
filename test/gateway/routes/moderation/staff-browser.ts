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
  const file = text === undefined ? {} : { file: new Blob([text], { type: 'text/csv' }) };
  return sendForm(server, visitor, `${path}/import`, { ...more, ...file });
}

/** Sends the form of the current page whose action is `action`, with its hidden fields, as multipart. */
export async function sendForm(
  server: TestServer,
  visitor: Visitor,
  action: string,
  fields: Readonly<Record<string, string | Blob>>,
): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...visitor.hidden(action), ...fields }))
    if (typeof value === 'string') form.set(name, value);
    else form.set(name, value, 'file');
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { cookie, accept: 'text/html' };
  return server.send(action, { method: 'POST', body: form, redirect: 'manual', headers });
}
