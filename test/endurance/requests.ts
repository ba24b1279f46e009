import { setTimeout } from 'node:timers/promises';

/** Time for which a request is repeated: longer than any fault of the run lasts. */
const RETRY_MS_MAX = 180_000;
const REQUEST_MS_MAX = 20_000;
/** Delay between two attempts, so that an immediate refusal does not cause a busy loop. */
const PAUSE_MS = 150;

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly token?: string;
  readonly key?: string;
  readonly body?: object;
}

/** Sends one request. Undefined without an answer: the outcome is then unknown. */
export async function ask(url: string, { method, path, token, key, body }: Asked): Promise<Answer | undefined> {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(key !== undefined && { 'idempotency-key': key }),
  };
  const signal = AbortSignal.timeout(REQUEST_MS_MAX);
  const init = { method, headers, signal, ...(body && { body: JSON.stringify(body) }) };
  try {
    const response = await fetch(`${url}${path}`, init);
    return { status: response.status, body: await response.text() };
  } catch {
    return undefined;
  }
}

/**
 * Repeats a request at one node after another until the answer is neither 429 nor 5xx.
 * @returns the answer, and true in `repeated` if an earlier attempt may have happened
 * @throws when that took longer than RETRY_MS_MAX
 */
export async function insist(
  urls: readonly string[],
  first: number,
  asked: Asked,
): Promise<Answer & { readonly repeated: boolean; readonly internal: number }> {
  const deadline = Date.now() + RETRY_MS_MAX;
  let internal = 0;
  for (let attempt = 0; Date.now() < deadline; attempt++) {
    const answer = await ask(urls[(first + attempt) % urls.length] as string, asked);
    if (answer !== undefined && answer.status < 500 && answer.status !== 429)
      return { ...answer, repeated: attempt > 0, internal };
    if (answer !== undefined && answer.status !== 503 && answer.status !== 429) internal += 1;
    await setTimeout(PAUSE_MS);
  }
  throw new Error(`${asked.method} ${asked.path} was not answered for ${RETRY_MS_MAX} ms`);
}
