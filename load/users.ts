import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Client } from './client.js';
import { inParallel } from './in-parallel.js';
import { BadPlan, USERS_MAX } from './plan.js';

/** An account of the server, and what it is asked with. */
export interface User {
  readonly id: string;
  readonly username: string;
  readonly token: string;
}

/** Verified at a time: quick, without being a load of its own. */
const VERIFIED_AT_A_TIME = 16;

/**
 * Tokens from JSON lines: what `account create --from` prints, or any objects with `token` (or `access_token`).
 * @throws BadPlan with the line's number
 */
export async function tokensOf(file: string, usersMax: number): Promise<string[]> {
  const input = createReadStream(file);
  const tokens: string[] = [];
  let number = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      if (line.trim() === '') continue;
      tokens.push(tokenOf(line, `${file}, line ${number}`));
      if (tokens.length >= Math.min(usersMax, USERS_MAX)) break;
    }
  } catch (error) {
    if (error instanceof BadPlan) throw error;
    throw new BadPlan((error as Error).message);
  } finally {
    input.destroy();
  }
  if (tokens.length === 0) throw new BadPlan(`${file} has no users`);
  return tokens;
}

function tokenOf(line: string, where: string): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    throw new BadPlan(`${where}: not JSON`);
  }
  const { token, access_token: accessToken } = (parsed ?? {}) as { token?: unknown; access_token?: unknown };
  const found = token ?? accessToken;
  if (typeof found !== 'string' || !/^[\x21-\x7e]+$/.test(found)) throw new BadPlan(`${where}: no token`);
  return found;
}

/** Asks the server whose tokens these are; an account with several counts once. @throws BadPlan */
export async function verified(client: Client, tokens: readonly string[]): Promise<User[]> {
  const users = await inParallel(tokens, VERIFIED_AT_A_TIME, async (token) => {
    const { status, text } = await client.ask({ method: 'GET', path: '/api/v1/accounts/verify_credentials', token });
    if (status !== 200) {
      throw new BadPlan(`a token is answered with ${status} by verify_credentials: ${text.slice(0, 200)}`);
    }
    const { id, username } = JSON.parse(text) as { id: string; username: string };
    return { id: String(id), username, token };
  });
  return [...new Map(users.map((user) => [user.id, user])).values()];
}

/** Signs up so many users, where the server lets anybody in without confirmation. @throws BadPlan */
export async function registered(client: Client, count: number): Promise<string[]> {
  const scopes = 'read write follow';
  const app = await answered<{ client_id: string; client_secret: string }>(client, '/api/v1/apps', {
    client_name: 'murmuration load',
    redirect_uris: 'urn:ietf:wg:oauth:2.0:oob',
    scopes,
  });
  const { access_token: appToken } = await answered<{ access_token: string }>(client, '/oauth/token', {
    grant_type: 'client_credentials',
    client_id: app.client_id,
    client_secret: app.client_secret,
    scope: scopes,
  });
  const run = randomBytes(4).toString('hex');
  const password = randomBytes(16).toString('base64url');
  return inParallel(
    Array.from({ length: count }, (_, index) => `load_${run}_${index}`),
    VERIFIED_AT_A_TIME,
    async (username) => {
      const person = { username, email: `${username}@example.org`, password, agreement: true, locale: 'en' };
      return (await answered<{ access_token: string }>(client, '/api/v1/accounts', person, appToken)).access_token;
    },
  );
}

async function answered<T>(client: Client, path: string, body: object, token?: string): Promise<T> {
  const { status, text } = await client.ask({ method: 'POST', path, body, ...(token === undefined ? {} : { token }) });
  if (status !== 200) {
    throw new BadPlan(
      `${path} answers ${status}: ${text.slice(0, 200)}. Users may also come from a file: --users FILE`,
    );
  }
  return JSON.parse(text) as T;
}
