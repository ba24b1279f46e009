import { Unavailable } from '../../../../actors/domain/problem.js';
import { isSuspended } from '../../../../actors/domain/standing.js';
import type { ImportStep, ImportWork } from '../../../../actors/imports/import-work.js';
import type { ImportsProgress, StoreAccountRecord } from '../../../../proto/gen/types.js';
import { accounts } from '../../../../store/tables.js';
import { ADDRESS_CHARS_MAX, findAccount } from '../../../discovery/find-remote.js';
import type { ApiAnswer, ApiCall, ApiPerson } from '../../../http/api-call.js';
import { tokenHash } from '../../../http/authenticator.js';
import type { Services } from '../../../http/services.js';
import type { List } from '../../../pages/account/list.js';
import { type Kind, kindOf, ownList } from './own-lists.js';
import { isYes, keyOf } from './transfer-rows.js';

/** Rows of one step. A crash repeats one step at most. */
const ROWS_AT_ONCE_MAX = 100;
/** Time after which a step begins no other row. The slowest row asks another server. */
const SPAN_MS = 10_000;
/** Rows that are done side by side: they wait for different servers. */
const SIDE_BY_SIDE = 4;

/** An import in a person's name, by the API's routes: it can do no more than an application. */
interface Importing {
  readonly services: Services;
  readonly viewer: string;
  readonly kind: Kind;
  readonly api: <T>(call: ApiCall) => Promise<ApiAnswer<T>>;
}

/** `busy`: nothing was done, and a later attempt may succeed. */
type Outcome = 'done' | 'failed' | 'busy';

/** Carries out the steps of imports. Rate limits count the calls of a person's imports apart from those of applications. */
export class PersonalImports implements ImportWork {
  constructor(
    private readonly services: Services,
    private readonly apiFor: (person: ApiPerson, call: ApiCall) => Promise<ApiAnswer>,
  ) {}

  async carryOut(step: ImportStep): Promise<ImportsProgress> {
    const { account: viewer, job } = step;
    const { place, removed, stuck, cleared } = job;
    const before = { place, failed: [], removed, stuck, cleared };
    const record = await this.#actor(viewer);
    const kind = kindOf(job.kind);
    if (record === undefined || kind === undefined || !step.goesOn()) return { ...before, busy: true };
    const person = { account: record, tokenHash: tokenHash(`imports ${viewer}`) };
    const api = <T>(call: ApiCall) => this.apiFor(person, call) as Promise<ApiAnswer<T>>;
    const importing = { services: this.services, viewer, kind, api };
    const isLate = lateness(this.services, step);
    const done = await (cleared ? doRows : clear)(importing, step, isLate).catch(pausedIfUnavailable);
    // Refusals count only if the person was allowed to act all the time.
    const isAllowed = done !== undefined && (await this.#actor(viewer)) !== undefined;
    return isAllowed ? { ...before, ...done } : { ...before, busy: true };
  }

  /** Returns the account if its owner may act now. */
  async #actor(account: string): Promise<StoreAccountRecord | undefined> {
    const record = await this.services.tables.get(accounts, { account });
    const mayAct = record?.confirmed === true && record.approved && !record.disabled && !isSuspended(record);
    return mayAct ? record : undefined;
  }
}

function lateness({ clock }: Pick<Services, 'clock'>, { goesOn }: ImportStep): () => boolean {
  const endMs = clock.monotonicMs() + SPAN_MS;
  return () => clock.monotonicMs() >= endMs || !goesOn();
}

/** Removes former entries that no row names. */
async function clear(importing: Importing, { job, rows }: ImportStep, isLate: () => boolean) {
  const superfluous = await notNamed(importing, rows, job.stuck + ROWS_AT_ONCE_MAX + 1);
  // Entries that cannot be removed stay at the start of the list and must not stop the import.
  const some = superfluous.slice(job.stuck, job.stuck + ROWS_AT_ONCE_MAX);
  const { outcomes, busy } = await inTurn(some, isLate, (id) => undo(importing, id));
  const undone = outcomes.filter((one) => one === 'done').length;
  const cleared = superfluous.length <= job.stuck + outcomes.length;
  return { cleared, removed: job.removed + undone, stuck: job.stuck + outcomes.length - undone, busy };
}

async function doRows(importing: Importing, { job, rows }: ImportStep, isLate: () => boolean) {
  const work = importing.kind === 'lists' ? new OwnLists(importing).add : ROWS[importing.kind];
  const some = rows.slice(job.place, job.place + ROWS_AT_ONCE_MAX);
  const { outcomes, busy } = await inTurn(some, isLate, (row) => work(row, importing));
  const failed = outcomes.flatMap((one, index) => (one === 'failed' ? [job.place + index] : []));
  return { place: job.place + outcomes.length, failed, busy };
}

/**
 * Works on the items in order, some side by side, until it is late or one finds the server busy. Returns the outcomes of
 * the items from the start up to the first that must be tried again.
 */
async function inTurn<T>(items: readonly T[], isLate: () => boolean, work: (item: T) => Promise<Outcome>) {
  const outcomes: Outcome[] = [];
  for (let next = 0; next < items.length && (next === 0 || !isLate()); next += SIDE_BY_SIDE) {
    const some = items.slice(next, next + SIDE_BY_SIDE);
    const found = await Promise.all(some.map((item) => work(item).catch(busyIfUnavailable)));
    const stopped = found.indexOf('busy');
    outcomes.push(...(stopped < 0 ? found : found.slice(0, stopped)));
    if (stopped >= 0) return { outcomes, busy: true };
  }
  return { outcomes, busy: false };
}

function busyIfUnavailable(error: unknown): Outcome {
  if (error instanceof Unavailable) return 'busy';
  throw error;
}

function pausedIfUnavailable(error: unknown): undefined {
  if (!(error instanceof Unavailable)) throw error;
}

/** A row that meets an error of the program cannot be done; another 5xx says that something is unavailable. */
const outcomeOf = ({ status }: Pick<ApiAnswer, 'status'>): Outcome =>
  status < 400 ? 'done' : status === 429 || status > 500 ? 'busy' : 'failed';

/** Returns what undoes each entry that no row names, at most `max` of them. */
async function notNamed({ services, viewer, kind }: Importing, rows: readonly (readonly string[])[], max: number) {
  const named = new Set(rows.map((row) => keyOf(kind, row)));
  const ids: string[] = [];
  for await (const some of ownList(services, viewer, kind)) {
    ids.push(...some.filter(({ cells }) => !named.has(keyOf(kind, cells))).map(({ id }) => id));
    if (ids.length >= max) break;
  }
  return ids.slice(0, max);
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

const undo = async ({ api, kind }: Importing, id: string): Promise<Outcome> => outcomeOf(await api(UNDO[kind](id)));

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
