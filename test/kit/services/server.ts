import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { isProblem } from '../../../actors/domain/problem.js';
import { readSettings, type Settings } from '../../../cli/settings.js';
import { type Node, startNode } from '../../../compose/node.js';
import { tokenHash } from '../../../gateway/http/authenticator.js';
import { newAccessToken } from '../../../gateway/oauth/tokens.js';
import { injector, type Send } from '../network/injection.js';

/** One complete HTTP answer. `body` is parsed if it is JSON. */
export interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read into answers of every shape.
  readonly body: any;
  readonly headers: Headers;
}

const ALL_SCOPES = ['read', 'write', 'follow', 'push'];
/** Timeout of a request: a test's own node is on this machine. */
const REQUEST_MS_MAX = 60_000;

/** The target of requests: one node in this process, or several processes. */
export interface Asked {
  readonly send: Send;
  ask(
    method: string,
    path: string,
    body?: unknown,
    token?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answered>;
}

/** Sends one request and reads its whole answer. */
export async function askBy(
  send: Send,
  method: string,
  path: string,
  body?: unknown,
  token?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const response = await send(path, {
    method,
    signal: AbortSignal.timeout(REQUEST_MS_MAX),
    redirect: 'manual',
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, headers: response.headers, body: isJson && text !== '' ? JSON.parse(text) : text };
}

/** A user with a confirmed account and a token of all scopes. */
export class Person {
  constructor(
    readonly server: Asked,
    readonly id: string,
    readonly name: string,
    readonly token: string,
  ) {}

  get = (path: string): Promise<Answered> => this.server.ask('GET', path, undefined, this.token);
  post = (path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answered> =>
    this.server.ask('POST', path, body, this.token, headers);
  put = (path: string, body?: unknown): Promise<Answered> => this.server.ask('PUT', path, body, this.token);
  remove = (path: string): Promise<Answered> => this.server.ask('DELETE', path, undefined, this.token);

  /** Posts; returns the new status's id. */
  async says(status: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const posted = await this.post('/api/v1/statuses', { status, ...more });
    assert.equal(posted.status, 200, JSON.stringify(posted.body));
    return posted.body.id;
  }

  async follows(other: Person): Promise<void> {
    assert.equal((await this.post(`/api/v1/accounts/${other.id}/follow`)).status, 200);
  }
}

/** A complete embedded node in this process, on a folder of its own. */
export class TestServer {
  private constructor(
    readonly node: Node,
    readonly folder: string,
  ) {}

  static async start(settings: Partial<Settings> = {}): Promise<TestServer> {
    const folder = await mkdtemp(join(tmpdir(), 'murmuration-'));
    const flags = { PORT: '0', BASE_URL: 'http://localhost', DATA_DIR: folder, RATE_LIMITS: 'off', ...settings };
    const node = await startNode(readSettings(flags, {}), pino({ level: 'error' }));
    await node.listen();
    return new TestServer(node, folder);
  }

  /** Sends requests without a socket. Tests of connections use `urlOf`. */
  readonly send = injector(() => {
    assert.ok(this.node.server !== undefined);
    return this.node.server;
  });
  ask: Asked['ask'] = (...request) => askBy(this.send, ...request);

  get = (path: string): Promise<Answered> => this.ask('GET', path);

  /** Creates an account directly, without mail. */
  async person(name: string, scopes: readonly string[] = ALL_SCOPES, role = 'user'): Promise<Person> {
    const { services } = this.node;
    const id = await services.newAccountId();
    const email = `${name}@example.org`;
    assert.equal(await services.registry.claim([`acct:${name}`, `email:${email}`], id), undefined);
    await this.#done(
      services.askAccount(id, 'register', {
        username: name,
        email,
        passwordHash: '',
        role,
        confirmed: true,
        approved: true,
        locale: 'en',
      }),
    );
    const person = new Person(this, id, name, await this.token(id, scopes));
    return person;
  }

  /** Creates an account with a role, and a token with its scopes. */
  staff(name: string, role: string): Promise<Person> {
    return this.person(name, [...ALL_SCOPES, 'admin:read', 'admin:write'], role);
  }

  /** Creates another token of an account. */
  async token(id: string, scopes: readonly string[]): Promise<string> {
    const { services } = this.node;
    const token = newAccessToken(services, id);
    const issued = { tokenHash: tokenHash(token), clientId: 'test', scopes, kind: 'access' };
    await this.#done(services.askAccount(id, 'issueToken', issued));
    return token;
  }

  async stop(): Promise<void> {
    // No request is under way, so there is nothing to wait for.
    await this.node.drain(0);
    await rm(this.folder, { recursive: true, force: true });
  }

  async #done(reply: Promise<unknown>): Promise<void> {
    const answer = await reply;
    assert.ok(!isProblem(answer), JSON.stringify(answer));
  }
}

/** Returns the address of an adjacent page from an answer's Link header, as path and query. */
export function linkTo(answered: Answered, rel: 'next' | 'prev'): string | undefined {
  const match = new RegExp(`<([^>]+)>; rel="${rel}"`).exec(answered.headers.get('link') ?? '');
  if (match?.[1] === undefined) return undefined;
  const { pathname, search } = new URL(match[1]);
  return pathname + search;
}
