import { call, type Person } from '../cluster/people.js';
import type { Fitting } from './fitting-request.js';

/**
 * Maximum number of collections in use: an account has at most 10, and the tests themselves create some. As many as the
 * tests' concurrent requests.
 */
const COLLECTIONS_KEPT_MAX = 8;
interface Made {
  readonly id: string;
  readonly items: readonly { readonly id: string }[];
}
type Use = { readonly id: string; readonly rest: { readonly item: string } };

/**
 * Returns fitting requests for collections, by the name of their route. The viewer is in their own: nobody else need
 * agree.
 */
export function collectionRequests(
  url: string,
  viewer: Person,
  other: Person,
): Readonly<Record<string, () => Promise<Fitting>>> {
  const maker = new CollectionMaker(url, viewer);
  const ofOne = () => maker.fresh([viewer.id]);
  const one = '/api/v1/collections/:id';
  return {
    'POST /api/v1/collections': async () => {
      await maker.room();
      return { body: { name: 'one', account_ids: [viewer.id] } };
    },
    [`GET ${one}`]: () => maker.standing(),
    [`PATCH ${one}`]: async () => ({ ...(await maker.standing()), body: { name: 'another' } }),
    [`DELETE ${one}`]: ofOne,
    [`POST ${one}/items`]: async () => ({ id: (await maker.fresh([])).id, body: { account_id: viewer.id } }),
    [`DELETE ${one}/items/:item`]: ofOne,
    [`POST ${one}/items/:item/revoke`]: ofOne,
    'GET /users/:name/collections/:id': async () => ({
      id: viewer.name,
      rest: { id: (await maker.standing()).id },
    }),
    'GET /collections/:id': () => maker.standing(),
    'GET /users/:name/feature_authorizations/:id': async () => {
      const { rest } = await maker.standing();
      return { id: viewer.name, rest: { id: rest.item } };
    },
    'GET /api/v1/accounts/:id/collections': async () => ({ id: other.id }),
    'GET /api/v1/accounts/:id/in_collections': async () => {
      await maker.standing();
      return { id: viewer.id };
    },
  };
}

/** Creates the viewer's collections, one at a time; the oldest are deleted to make room. */
class CollectionMaker {
  private made = 0;
  private kept: Use | undefined;
  private readonly lent: string[] = [];
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly url: string,
    private readonly viewer: Person,
  ) {}

  /** Returns a collection for requests that do not change it. */
  async standing(): Promise<Use> {
    return this.inTurn(async () => {
      this.kept ??= await this.make([this.viewer.id]);
      return this.kept;
    });
  }

  /** Returns a new collection with these accounts. */
  fresh(accounts: readonly string[]): Promise<Use> {
    return this.inTurn(async () => {
      const use = await this.make(accounts);
      this.lent.push(use.id);
      return use;
    });
  }

  /** Makes room for one more collection. */
  room(): Promise<void> {
    return this.inTurn(() => this.makeRoom());
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.last.then(work);
    this.last = next.catch(() => undefined);
    return next;
  }

  private async make(account_ids: readonly string[]): Promise<Use> {
    await this.makeRoom();
    const body = { name: `collection ${++this.made}`, account_ids };
    const reply = await call(this.url, this.viewer, 'POST', '/api/v1/collections', body);
    const { id, items } = (reply as { collection: Made }).collection;
    return { id, rest: { item: items[0]?.id ?? '1' } };
  }

  /** Deletes all collections that are not in use: some may be gone already, because deletion is tested, too. */
  private async makeRoom(): Promise<void> {
    const path = `/api/v1/accounts/${this.viewer.id}/collections`;
    const { collections } = (await call(this.url, this.viewer, 'GET', path)) as { collections: Made[] };
    const inUse = new Set([...this.lent.slice(1 - COLLECTIONS_KEPT_MAX), this.kept?.id]);
    const headers = { authorization: `Bearer ${this.viewer.token}` };
    for (const { id } of collections)
      if (!inUse.has(id)) await fetch(`${this.url}/api/v1/collections/${id}`, { method: 'DELETE', headers });
  }
}
