import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { isProblem } from '../../../actors/domain/problem.js';
import { hashPassword } from '../../../gateway/oauth/passwords.js';
import { signUp } from '../../../gateway/oauth/sign-up.js';
import { type Visited, Visitor } from '../../kit/network/visitor.js';
import type { TestServer } from '../../kit/services/server.js';

export const PASSWORD = 'correct horse battery';
export const CALLBACK = 'https://client.example/callback';
export const VERIFIER = 'a-verifier-of-more-than-forty-three-characters-in-all';
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

export interface App {
  readonly client_id: string;
  readonly client_secret: string;
}

export async function makeApp(server: TestServer, more: Readonly<Record<string, unknown>> = {}): Promise<App> {
  const body = { client_name: 'An app', redirect_uris: CALLBACK, scopes: 'read write follow', ...more };
  const made = await server.ask('POST', '/api/v1/apps', body);
  assert.equal(made.status, 200, JSON.stringify(made.body));
  return made.body as App;
}

/** Creates a user who can sign in. */
export async function makeUser(server: TestServer, username: string, role = 'user'): Promise<string> {
  const made = await signUp(server.node.services, {
    username,
    email: `${username}@example.org`,
    password: PASSWORD,
    role,
    confirmed: true,
    approved: true,
    locale: 'en',
    hash: (password) => hashPassword(password, { cheap: true }),
  });
  assert.ok(!isProblem(made));
  return made.id;
}

export function authorizePath(app: App, more: Readonly<Record<string, string>> = {}): string {
  const query = {
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: CALLBACK,
    scope: 'read write',
    state: 'the state',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...more,
  };
  return `/oauth/authorize?${new URLSearchParams(query)}`;
}

/** Signs in on the way to `path`, and returns the page that is shown then. */
export async function signIn(visitor: Visitor, path: string, login: string): Promise<Visited> {
  await visitor.get(path);
  const signed = await visitor.submit('/auth/sign_in', { login, password: PASSWORD });
  assert.equal(signed.status, 303, signed.text);
  return visitor.get(signed.location ?? '');
}

/** Runs the whole flow up to an authorization code. */
export async function codeFor(
  server: TestServer,
  app: App,
  login: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const visitor = new Visitor(server);
  await signIn(visitor, authorizePath(app, more), login);
  const decided = await visitor.submit('/oauth/authorize', { decision: 'authorize' });
  return new URL(decided.location ?? 'about:blank').searchParams.get('code') ?? '';
}

export function exchange(server: TestServer, app: App, code: string, more: Readonly<Record<string, string>> = {}) {
  const { client_id, client_secret } = app;
  const fields = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code_verifier: VERIFIER };
  return server.ask('POST', '/oauth/token', { client_id, client_secret, code, ...fields, ...more });
}

/** Returns a browser in which a person of `makeUser` has signed in. */
export async function signedIn(server: TestServer, login: string): Promise<Visitor> {
  const visitor = new Visitor(server, { accept: 'text/html' });
  await visitor.get('/auth/sign_in');
  assert.equal((await visitor.submit('/auth/sign_in', { login, password: PASSWORD })).status, 303);
  return visitor;
}
