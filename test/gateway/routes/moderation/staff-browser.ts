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
