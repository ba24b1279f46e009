import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Ask, type Client, NoAnswer } from './clients/client.js';
import { inParallel } from './clients/in-parallel.js';
import { objectIn } from './clients/json.js';
import { patienceFor, Refused, retried } from './clients/retry.js';
import { BadPlan, USERS_MAX } from './plan.js';

/** An account of the server, with its token. */
export interface User {
  readonly id: string;
  readonly username: string;
  readonly token: string;
}

/** Tokens verified at a time: quick, without being a load of its own. */
const VERIFIED_AT_A_TIME = 16;

/**
 * Reads tokens from JSON lines: the output of `account create --from`, or any objects with `token` (or `access_token`).
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

/**
 * Asks the server for the accounts of the tokens; an account with several tokens counts once.
 * @throws BadPlan when the server rejects one; NoAnswer
 */
export async function verified(client: Client, tokens: readonly string[], signal: AbortSignal): Promise<User[]> {
  const patience = patienceFor(signal);
  const users = await inParallel(tokens, VERIFIED_AT_A_TIME, async (token) => {
    const path = '/api/v1/accounts/verify_credentials';
    const { text } = await retried(client, { method: 'GET', path, token }, patience()).catch((error: unknown) => {
      throw error instanceof Refused ? new BadPlan(`a token is refused: ${error.message}`) : error;
    });
    const { id, username } = objectIn(text);
    if (typeof id !== 'string') throw new NoAnswer(`${path}: no account`);
    return { id, username: String(username), token };
  });
  return [...new Map(users.map((user) => [user.id, user])).values()];
}

/** Signs up users, on a server that requires no confirmation. @throws BadPlan, NoAnswer */
export async function registered(client: Client, count: number, signal: AbortSignal): Promise<string[]> {
  const patience = patienceFor(signal);
  const answered = async (path: string, body: object, token?: string) => {
    const asked: Ask = { method: 'POST', path, body, ...(token === undefined ? {} : { token }) };
    const { text } = await retried(client, asked, patience()).catch((error: unknown) => {
      if (!(error instanceof Refused)) throw error;
      throw new BadPlan(`${error.message}. Users may also come from a file: --users FILE`);
    });
    return objectIn(text);
  };
  const tokenIn = ({ access_token: token }: Readonly<Record<string, unknown>>) => {
    if (typeof token !== 'string') throw new NoAnswer('signing up gives no token');
    return token;
  };
  const scopes = 'read write follow push';
  const redirect = 'urn:ietf:wg:oauth:2.0:oob';
  const app = await answered('/api/v1/apps', { client_name: 'murmuration load', redirect_uris: redirect, scopes });
  const { client_id, client_secret } = app;
  const grant = { grant_type: 'client_credentials', client_id, client_secret, scope: scopes };
  const appToken = tokenIn(await answered('/oauth/token', grant));
  const run = randomBytes(4).toString('hex');
  const password = randomBytes(16).toString('base64url');
  return inParallel(
    Array.from({ length: count }, (_, index) => `load_${run}_${index}`),
    VERIFIED_AT_A_TIME,
    async (username) => {
      const person = { username, email: `${username}@example.org`, password, agreement: true, locale: 'en' };
      return tokenIn(await answered('/api/v1/accounts', person, appToken));
    },
  );
}
