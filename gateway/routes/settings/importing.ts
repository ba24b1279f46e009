import { Unavailable } from '../../../actors/domain/problem.js';
import { ADDRESS_CHARS_MAX, findAccount } from '../../discovery/find-remote.js';
import type { ApiAnswer, ApiCall } from '../../http/api-call.js';
import type { Services } from '../../http/services.js';
import type { List } from '../../pages/account/list.js';
import { type Kind, ownList } from './own-lists.js';
import { isYes, keyOf } from './transfer-rows.js';

/**
 * Rows that one request does: less than the requests that an application has within 5 minutes, so that the other pages
 * of the person still open meanwhile.
 */
const ROWS_AT_ONCE_MAX = 250;
/** Time after which a request begins no other row. The slowest row asks another server. */
const SPAN_MS = 10_000;
/** Rows that are done side by side: they wait for different servers. */
const SIDE_BY_SIDE = 4;

/** An import in a person's name, by the API's routes: it can do no more than an application. */
export interface Importing {
  readonly services: Services;
  readonly viewer: string;
  readonly kind: Kind;
  readonly api: <T>(call: ApiCall) => Promise<ApiAnswer<T>>;
}

/** Result of one request. */
export interface Imported {
  readonly done: number;
  /** Entries of before that are gone because the file does not name them. */
  readonly removed: number;
  /** Rows that cannot be done. */
  readonly failed: readonly (readonly string[])[];
  /** Rows that were not begun, for the next request. */
  readonly rest: readonly (readonly string[])[];
  /** Entries that the file does not name may still exist. */
  readonly replaces: boolean;
  /** The person, or the server, has had too many requests: the next one must wait some minutes. */
  readonly isBusy: boolean;
}

/** `busy`: nothing was done, and a later attempt may succeed. */
type Outcome = 'done' | 'failed' | 'busy';

/**
 * Imports as many rows as one request may.
 * @param replaces first undo all that the rows do not name
 * @throws Unavailable
 */
export async function importRows(
  importing: Importing,
  rows: readonly (readonly string[])[],
  replaces: boolean,
): Promise<Imported> {
  const { services, kind } = importing;
  const endMs = services.clock.monotonicMs() + SPAN_MS;
  const isLate = () => services.clock.monotonicMs() >= endMs;
  const nothing = { done: 0, removed: 0, failed: [], rest: rows, replaces, isBusy: false };
  const superfluous = replaces ? await notNamed(importing, rows) : [];
  const undone = await inTurn(superfluous.slice(0, ROWS_AT_ONCE_MAX), isLate, (id) => undo(importing, id));
  const isCleared = superfluous.length <= ROWS_AT_ONCE_MAX && undone.rest.length === 0;
  if (!isCleared) return { ...nothing, removed: undone.done, isBusy: undone.isBusy };
  const room = ROWS_AT_ONCE_MAX - superfluous.length;
  const work = kind === 'lists' ? new OwnLists(importing).add : ROWS[kind];
  const tried = await inTurn(rows.slice(0, room), isLate, (row) => work(row, importing));
  const rest = [...tried.rest, ...rows.slice(room)];
  return { ...tried, rest, removed: undone.done, replaces: false };
}

/** Works on the items in order, some side by side, until it is late or one finds the server busy. */
async function inTurn<T>(items: readonly T[], isLate: () => boolean, work: (item: T) => Promise<Outcome>) {
  const failed: T[] = [];
  const rest: T[] = [];
  let done = 0;
  let next = 0;
  for (; next < items.length && rest.length === 0 && !isLate(); next += SIDE_BY_SIDE) {
    const some = items.slice(next, next + SIDE_BY_SIDE);
    const outcomes = await Promise.all(some.map((item) => work(item).catch(busyIfUnavailable)));
    done += outcomes.filter((one) => one === 'done').length;
    failed.push(...some.filter((_, index) => outcomes[index] === 'failed'));
    rest.push(...some.filter((_, index) => outcomes[index] === 'busy'));
  }
  return { done, failed, isBusy: rest.length > 0, rest: [...rest, ...items.slice(next)] };
}

function busyIfUnavailable(error: unknown): Outcome {
  if (error instanceof Unavailable) return 'busy';
  throw error;
}

const outcomeOf = ({ status }: Pick<ApiAnswer, 'status'>): Outcome =>
  status < 400 ? 'done' : status === 429 || status >= 500 ? 'busy' : 'failed';

/** Returns what undoes each entry that no row names. */
async function notNamed({ services, viewer, kind }: Importing, rows: readonly (readonly string[])[]) {
  const named = new Set(rows.map((row) => keyOf(kind, row)));
  const own = await ownList(services, viewer, kind);
  return own.filter(({ cells }) => !named.has(keyOf(kind, cells))).map(({ id }) => id);
}

const UNDO: Readonly<Record<Kind, (id: string) => ApiCall>> = {
  follows: (id) => ({ method: 'POST', path: `/api/v1/accounts/${id}/unfollow` }),
  blocks: (id) => ({ method: 'POST', path: `/api/v1/accounts/${id}/unblock` }),
  mutes: (id) => ({ method: 'POST', path: `/api/v1/accounts/${id}/unmute` }),
  domain_blocks: (domain) => ({ method: 'DELETE', path: '/api/v1/domain_blocks', body: { domain } }),
  bookmarks: (id) => ({ method: 'POST', path: `/api/v1/statuses/${id}/unbookmark` }),
  lists: (id) => {
    const [list = '', member = ''] = id.split('/');
    return { method: 'DELETE', path: `/api/v1/lists/${list}/accounts`, body: { account_ids: [member] } };
  },
};

async function undo({ api, kind }: Importing, id: string): Promise<Outcome> {
  const outcome = outcomeOf(await api(UNDO[kind](id)));
  // An entry that cannot be undone must not stop the import.
  return outcome === 'busy' ? 'busy' : 'done';
}

type Work = (row: readonly string[], importing: Importing) => Promise<Outcome>;

const ROWS: Readonly<Record<Exclude<Kind, 'lists'>, Work>> = {
  follows: ([address, reblogs, notify, languages = ''], importing) => {
    const chosen = languages.split(/[\s,]+/).filter((one) => one !== '');
    const body = {
      reblogs: isYes(reblogs, true),
      notify: isYes(notify, false),
      ...(chosen.length > 0 && { languages: chosen }),
    };
    return toPerson(importing, address, 'follow', body);
  },
  blocks: ([address], importing) => toPerson(importing, address, 'block'),
  mutes: ([address, hides], importing) => toPerson(importing, address, 'mute', { notifications: isYes(hides, true) }),
  domain_blocks: async ([domain = ''], { api }) =>
    outcomeOf(await api({ method: 'POST', path: '/api/v1/domain_blocks', body: { domain } })),
  bookmarks: async ([uri = ''], { api }) => {
    const query = new URLSearchParams({ q: uri, type: 'statuses', resolve: 'true', limit: '1' }).toString();
    const found = await api<{ readonly statuses?: readonly { readonly id: string }[] }>({
      method: 'GET',
      path: '/api/v2/search',
      query,
    });
    const id = URL.canParse(uri) ? found.body.statuses?.[0]?.id : undefined;
    if (id === undefined) return outcomeOf(found) === 'busy' ? 'busy' : 'failed';
    return outcomeOf(await api({ method: 'POST', path: `/api/v1/statuses/${id}/bookmark` }));
  },
};

async function toPerson(importing: Importing, address: string | undefined, verb: string, body: object = {}) {
  const id = await idOf(importing, address);
  if (id === undefined || id === 'busy') return id ?? 'failed';
  return outcomeOf(await importing.api({ method: 'POST', path: `/api/v1/accounts/${id}/${verb}`, body }));
}

/** Returns the id of the account at an address. The API's search asks the server of one that is unknown here. */
async function idOf({ services, api }: Importing, address = ''): Promise<string | 'busy' | undefined> {
  if (address.length > ADDRESS_CHARS_MAX) return undefined;
  const known = await findAccount(services, address, false);
  if (known !== undefined || !/^@?[^@\s]+@[^@\s]+$/.test(address)) return known;
  const query = new URLSearchParams({ q: address, resolve: 'true', limit: '1' }).toString();
  const found = await api({ method: 'GET', path: '/api/v1/accounts/search', query });
  return outcomeOf(found) === 'busy' ? 'busy' : findAccount(services, address, false);
}

/** Lists of one person by their titles, while rows are added to them. */
class OwnLists {
  #lists: Promise<Map<string, Promise<string | 'busy' | undefined>>> | undefined;

  constructor(private readonly importing: Importing) {}

  /** Follows the account, as its list demands, and adds it. */
  readonly add: Work = async ([title = '', address], importing) => {
    const id = await idOf(importing, address);
    if (id === undefined || id === 'busy') return id ?? 'failed';
    const list = await this.#named(title);
    if (list === undefined || list === 'busy') return list ?? 'failed';
    const path = `/api/v1/lists/${list}/accounts`;
    const body = { account_ids: [id] };
    const added = await importing.api({ method: 'POST', path, body });
    if (added.status !== 404) return isMember(added) ? 'done' : outcomeOf(added);
    const followed = outcomeOf(await importing.api({ method: 'POST', path: `/api/v1/accounts/${id}/follow` }));
    return followed === 'done' ? outcomeOf(await importing.api({ method: 'POST', path, body })) : followed;
  };

  async #named(title: string): Promise<string | 'busy' | undefined> {
    this.#lists ??= this.#read();
    const lists = await this.#lists;
    let id = lists.get(title);
    if (id === undefined) {
      id = this.#create(title);
      lists.set(title, id);
    }
    return id;
  }

  async #read() {
    const { status, body } = await this.importing.api<List[]>({ method: 'GET', path: '/api/v1/lists' });
    if (status !== 200) throw new Unavailable('the lists of a person cannot be read');
    return new Map(body.map(({ title, id }) => [title, Promise.resolve<string | 'busy' | undefined>(id)]));
  }

  async #create(title: string): Promise<string | 'busy' | undefined> {
    const made = await this.importing.api<List>({ method: 'POST', path: '/api/v1/lists', body: { title } });
    const outcome = outcomeOf(made);
    return outcome === 'done' ? made.body.id : outcome === 'busy' ? 'busy' : undefined;
  }
}

/** Returns true for the refusal of an account that is in the list already. */
const isMember = ({ status, body }: ApiAnswer): boolean =>
  status === 422 && 'account' in ((body as { readonly details?: object }).details ?? {});
