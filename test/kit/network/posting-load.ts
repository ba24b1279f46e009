/** One user of a load: posts one status after another, each under its own Idempotency-Key. */
export interface LoadUser {
  readonly id: string;
  readonly token: string;
}

interface Acknowledged {
  readonly user: string;
  readonly number: number;
  readonly id: string;
  /** Time of the answer, ms since 1970. */
  readonly atMs: number;
}

export interface LoadReport {
  readonly acknowledged: readonly Acknowledged[];
  /** Requests that got an error or broke. Excludes refused connections: the client then uses another node. */
  readonly failures: readonly string[];
}

/** Time for which a post is retried under its key. */
const RETRY_MS_MAX = 120_000;
const REQUEST_MS_MAX = 60_000;
/** Delay between two attempts, so that an immediate refusal does not cause a busy loop. */
const PAUSE_MS = 100;

/**
 * Posts as several users at once until `stop`; each post goes to a node of the user's choice. Bounded by
 * `postsPerUserMax`; `paceMs` is the pause between two posts of a user.
 */
export class PostingLoad {
  private readonly acknowledged: Acknowledged[] = [];
  private readonly failures: string[] = [];
  private readonly running: Promise<void>[];
  private stopping = false;
  private readonly abandoned = new AbortController();

  constructor(
    private readonly urls: readonly string[],
    users: readonly LoadUser[],
    private readonly postsPerUserMax: number,
    private readonly paceMs = 0,
  ) {
    this.running = users.map((user, index) => this.drive(user, index));
  }

  get count(): number {
    return this.acknowledged.length;
  }

  async stop(): Promise<LoadReport> {
    this.stopping = true;
    await Promise.all(this.running);
    return { acknowledged: this.acknowledged, failures: this.failures };
  }

  /** Ends at once, also requests under way: for a test that has failed. */
  abandon(): void {
    this.stopping = true;
    this.abandoned.abort();
  }

  private async drive(user: LoadUser, index: number): Promise<void> {
    for (let number = 0; number < this.postsPerUserMax && !this.stopping; number++) {
      const id = await this.post(user, number, index + number);
      if (id !== undefined) this.acknowledged.push({ user: user.id, number, id, atMs: Date.now() });
      if (this.paceMs > 0) await new Promise((resolve) => setTimeout(resolve, this.paceMs));
    }
  }

  private async post(user: LoadUser, number: number, choice: number): Promise<string | undefined> {
    const deadline = Date.now() + RETRY_MS_MAX;
    const { signal } = this.abandoned;
    for (let attempt = 0; Date.now() < deadline && !signal.aborted; attempt++) {
      const url = this.urls[(choice + attempt) % this.urls.length] as string;
      try {
        const response = await fetch(`${url}/api/v1/statuses`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${user.token}`,
            'content-type': 'application/json',
            'idempotency-key': `${user.id}-${number}`,
          },
          body: JSON.stringify({ status: `post ${number} of ${user.id}` }),
          signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS_MAX)]),
        });
        const body = (await response.json()) as { id?: string };
        if (response.status === 200 && body.id !== undefined) return body.id;
        this.failures.push(`${response.status} from ${url}: ${JSON.stringify(body)}`);
      } catch (error) {
        const cause = (error as Error).cause as { code?: string } | undefined;
        if (cause?.code !== 'ECONNREFUSED') this.failures.push(`${url}: ${cause?.code ?? String(error)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    return undefined;
  }
}

/**
 * Returns all statuses of an account, newest first, by paging with max_id to the end; at most `pagesMax` pages of 40.
 */
export async function allStatuses(
  url: string,
  path: string,
  token: string,
  pagesMax: number,
): Promise<{ id: string; text: string; account: string }[]> {
  const found: { id: string; text: string; account: string }[] = [];
  for (let page = 0; page < pagesMax; page++) {
    const last = found.at(-1);
    const query = last === undefined ? '' : `&max_id=${last.id}`;
    const response = await fetch(`${url}${path}?limit=40${query}`, { headers: { authorization: `Bearer ${token}` } });
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    const items = (await response.json()) as { id: string; content: string; account: { id: string } }[];
    if (items.length === 0) return found;
    found.push(
      ...items.map((item) => ({
        id: item.id,
        text: item.content.replace(/<[^>]+>/g, ''),
        account: item.account.id,
      })),
    );
  }
  throw new Error(`more than ${pagesMax} pages of ${path}`);
}

/**
 * Checks one author's statuses after a load: every acknowledged post is there, none twice, and they are in the order of
 * posting. Returns the faults.
 */
export function faultsOf(
  statuses: readonly { id: string; text: string }[],
  user: string,
  report: LoadReport,
): string[] {
  const faults: string[] = [];
  const ids = new Set(statuses.map((status) => status.id));
  const texts = new Set(statuses.map((status) => status.text));
  if (ids.size !== statuses.length) faults.push(`${user}: an id comes twice`);
  if (texts.size !== statuses.length) faults.push(`${user}: a post comes twice`);
  for (const post of report.acknowledged) {
    if (post.user === user && !ids.has(post.id)) faults.push(`${user}: post ${post.number} (${post.id}) is lost`);
  }
  const numbers = [...statuses].reverse().map((status) => Number(/^post (\d+) of/.exec(status.text)?.[1]));
  if (numbers.some((number, index) => index > 0 && number <= (numbers[index - 1] as number))) {
    faults.push(`${user}: order is ${numbers.join(' ')}`);
  }
  return faults;
}
