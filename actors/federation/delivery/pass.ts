import type { HostReport, HostRetiredInbox, HostTally } from '../../../proto/gen/types.js';
import { deliveries } from '../../../store/federation-tables.js';
import { put, type RowWrite, remove, type Tables, WRITE_ROWS_MAX } from '../../../store/port.js';
import type { DeliveryOutcome, FederationClient, SchemeMemory, Signer } from '../../../transport/federation/port.js';
import { eachBounded } from '../../domain/each-bounded.js';
import type { Clock, Random } from '../../domain/time.js';
import { afterAnswer, afterFailure, afterRequestedPause, type Breaker } from '../../remote-host/breaker.js';
import { emptyTally } from '../../remote-host/remote-host.js';
import { SYNCHRONIZATION_HEADER } from '../synchronization/header.js';
import type { OutgoingDocuments } from './documents.js';
import type { DeliveryDrop, DeliveryFigures } from './figures.js';
import type { DeliveryPlaces, Places } from './places.js';
import { type DeliveryRow, deliveryPages, TRIED_MS_MAX } from './rows.js';

export interface DeliveryContext {
  readonly tables: Pick<Tables, 'get' | 'range' | 'write' | 'removeRange'>;
  readonly client: Pick<FederationClient, 'deliver'>;
  readonly signers: { signerOf(owner: string, uri: string): Signer };
  /** Returns the header by which a server compares the followers that it knows. @throws Unavailable */
  readonly synchronization?: (account: string, uri: string, inbox: string) => Promise<string | undefined>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random: Pick<Random, 'fraction'>;
  readonly places: Pick<DeliveryPlaces, 'of' | 'record'>;
  readonly figures: DeliveryFigures;
  readonly documents: Pick<OutgoingDocuments, 'of'>;
  readonly schemes: SchemeMemory;
}

/** The host as its state describes it. */
export interface PassStart {
  readonly host: string;
  readonly fromMs: number;
  readonly breaker: Breaker;
  readonly retired: ReadonlyMap<string, number>;
}
export type PassEnd = Omit<HostReport, 'seq'>;

/** Concurrent deliveries to one host. Each is of another object. */
const AT_ONCE_MAX = 4;
/** Rows in memory, some 300 bytes each: thousands of hosts may have deliveries at a time. */
const PAGE_ROWS = 32;
/** Attempts of one pass. A long queue takes several, so that the breaker is stored in between. */
const ATTEMPTS_MAX = 1_000;
/** Deliveries that wait for one host. The oldest are dropped. */
export const WAITING_MAX = 100_000;
/** Rows of one read while they are only counted. */
const COUNTED_ROWS = 1_000;
/** Source: RFC 6585 §4. */
const TOO_MANY_REQUESTS = 429;
/** The host works, but has no key to verify this delivery. Source: RFC 9110 §15.5.2. */
const UNAUTHORIZED = 401;
/** First and longest pause of a single delivery whose host answers others. It grows threefold, and is random up to twice. */
const RETRY_FIRST_MS = 60_000;
const RETRY_GROWTH = 3;
const RETRY_MOST_MS = 12 * 3_600_000;
/** Time after which an inbox that does not exist is tried again: servers are restored from backups. */
const RETIRED_MS = 7 * 86_400_000;

/** Types of activities that are needless after an activity about the same object, unless they were tried already. */
const REPLACES: Readonly<Record<string, readonly string[]>> = { Update: ['Update'], Delete: ['Create', 'Update'] };
/** Sent before the others of a page: a server ignores what it gets of an account before the Accept of the follow. */
const OPENING = 'Accept';
const DEFERRED_OVER = { deferred: true, over: true } as const;

/**
 * One pass over the deliveries that wait for a host. It sends what is due, oldest first, and deletes what is settled
 * after the host has answered, so a crash repeats the deliveries of one page at most.
 */
export class HostPass {
  #breaker: Breaker;
  #attempts = 0;
  #isHalted = false;
  /** Time of the oldest delivery that stays, and number of those seen. */
  #oldestMs: number | undefined;
  #waiting = 0;
  #nextMs = Number.POSITIVE_INFINITY;
  #lastMs: number;
  /** Orders of which an earlier delivery waits. */
  readonly #held = new Set<string>();
  readonly #retired: HostRetiredInbox[] = [];
  readonly #tally: { -readonly [K in keyof HostTally]: number } = { ...emptyTally };
  #scheme = '';

  constructor(
    private readonly context: DeliveryContext,
    private readonly start: PassStart,
  ) {
    this.#breaker = start.breaker;
    this.#lastMs = start.fromMs;
  }

  /** Ends the pass: another node may own the host now. */
  halt(): void {
    this.#isHalted = true;
  }

  /** @throws Unavailable when the store or a key cannot be read */
  async run(): Promise<PassEnd> {
    const { clock, tables, figures } = this.context;
    const { host, fromMs } = this.start;
    if (!this.#mayGoOn) return this.#end(fromMs, false);
    const nowMs = clock.nowMs();
    const pages = deliveryPages(tables, host, fromMs, nowMs, PAGE_ROWS);
    while (await this.#places.pages(() => this.#next(pages)));
    const isPaused = this.#isPaused;
    if (isPaused && !this.#isHalted) await this.#count(nowMs);
    const end = this.#end(this.#oldestMs ?? this.#lastMs, !isPaused && this.#attempts >= ATTEMPTS_MAX);
    figures.waits(host, this.#waiting, this.#oldestMs ?? 0, end.nextMs, this.#breaker.openings > 0);
    return end;
  }

  get #places(): Places {
    return this.context.places.of(this.start.host);
  }

  get #isPaused(): boolean {
    return this.#breaker.pausedUntilMs > this.context.clock.nowMs();
  }

  get #mayGoOn(): boolean {
    return !this.#isHalted && !this.#isPaused;
  }

  #end(fromMs: number, more: boolean): PassEnd {
    const { clock } = this.context;
    const pausedUntilMs = this.#isPaused ? this.#breaker.pausedUntilMs : 0;
    const dueMs = Number.isFinite(this.#nextMs) ? Math.max(this.#nextMs, clock.nowMs() + 1) : 0;
    const nextMs = Math.ceil(pausedUntilMs || dueMs);
    const told = { tally: this.#tally, scheme: this.#scheme };
    return { fromMs, nextMs, more, breaker: this.#breaker, retired: this.#retired, ...told };
  }

  /** Works on pages up to the next full one. Returns false once there is nothing more to do. */
  async #next(pages: AsyncGenerator<DeliveryRow[]>): Promise<boolean> {
    while (this.#mayGoOn && this.#attempts < ATTEMPTS_MAX) {
      const { done, value: page } = await pages.next();
      if (done === true) return false;
      await this.#page(page);
      this.#lastMs = page.at(-1)?.key.atMs ?? this.#lastMs;
      // Other hosts take their turns. The end of a short queue needs none: else thousands of passes would end at once.
      if (page.length === PAGE_ROWS) return true;
    }
    return false;
  }

  async #page(page: readonly DeliveryRow[]): Promise<void> {
    const writes: RowWrite[] = [];
    const groups = [...this.#grouped(page, writes).values()];
    // An open breaker admits one request at a time until the host has answered.
    while (this.#breaker.openings > 0 && this.#mayGoOn && groups.length > 0)
      await this.#group(groups.shift() ?? [], writes);
    const isOpening = ([row]: readonly DeliveryRow[]) => row?.value.type === OPENING;
    const [opening, others] = [groups.filter(isOpening), groups.filter((group) => !isOpening(group))];
    for (const some of [opening, others]) await eachBounded(some, AT_ONCE_MAX, (group) => this.#group(group, writes));
    // The next owner may have settled what has failed here.
    const lasting = this.#isHalted ? writes.filter(({ value }) => value === undefined) : writes;
    if (lasting.length > 0) await this.context.tables.write(lasting, DEFERRED_OVER);
  }

  /** Returns the deliveries that may be due, by order and inbox, without those that are not needed any more. */
  #grouped(page: readonly DeliveryRow[], writes: RowWrite[]): Map<string, DeliveryRow[]> {
    const { clock } = this.context;
    const groups = new Map<string, DeliveryRow[]>();
    const oldestMs = clock.nowMs() - TRIED_MS_MAX;
    for (const row of page) {
      const drop = row.key.atMs < oldestMs ? 'expired' : this.#isRetired(row) ? 'retired' : undefined;
      if (drop !== undefined) this.#drop(row, drop, writes);
      else if (this.#held.has(lineOf(row))) this.#stays(row);
      else {
        const group = groups.get(lineOf(row)) ?? [];
        const needless = group.filter((earlier) => isReplaced(earlier, row));
        for (const earlier of needless) this.#drop(earlier, 'replaced', writes);
        groups.set(lineOf(row), [...group.filter((earlier) => !needless.includes(earlier)), row]);
      }
    }
    return groups;
  }

  /** Sends deliveries of one order to one inbox, one after the other, until one fails. */
  async #group(group: readonly DeliveryRow[], writes: RowWrite[]): Promise<void> {
    let waits = false;
    for (const row of group) {
      if (!waits) waits = !(await this.#settled(row, writes));
      if (waits) this.#stays(row);
    }
    const [first] = group;
    if (waits && first !== undefined) this.#held.add(lineOf(first));
  }

  /** Makes an attempt if the delivery is due. Returns true when no further one is needed. */
  async #settled(row: DeliveryRow, writes: RowWrite[]): Promise<boolean> {
    const { clock } = this.context;
    if (!this.#isDue(row)) {
      this.#nextMs = Math.min(this.#nextMs, row.value.dueMs);
      return false;
    }
    // Another delivery may have failed, or found the inbox gone, while this one waited for a place.
    const outcome = await this.#places.deliveries(async () => {
      if (!this.#mayGoOn) return undefined;
      return this.#isRetired(row) ? 'retired' : this.#deliver(row);
    });
    if (outcome === undefined) return false;
    if (outcome === 'retired' || outcome === 'expired') {
      this.#drop(row, outcome, writes);
      return true;
    }
    this.#judge(outcome);
    if (outcome.kind === 'later') {
      const { attempts } = row.value;
      const nowMs = clock.nowMs();
      // Nothing was sent: it is no attempt, and the pause does not grow.
      const isLocal = outcome.reason === 'local';
      const dueMs = Math.ceil(nowMs + this.#retryMs(isLocal ? 0 : attempts));
      this.#nextMs = Math.min(this.#nextMs, dueMs);
      const tried = isLocal ? {} : { attempts: attempts + 1, triedMs: nowMs };
      writes.push(put(deliveries, row.key, { ...row.value, ...tried, dueMs }));
      return false;
    }
    if (outcome.kind === 'delivered') writes.push(remove(deliveries, row.key));
    else this.#drop(row, outcome.kind, writes);
    if (outcome.kind === 'gone') this.#retire(row.value.inbox);
    return true;
  }

  async #deliver({ key, value }: DeliveryRow): Promise<DeliveryOutcome | 'expired'> {
    const { client, signers, clock, documents, synchronization } = this.context;
    const { signer, signerUri, inbox, synchronizes } = value;
    const body = await documents.of(value.document);
    // The text is written first and lives as long as its deliveries.
    if (body === undefined) {
      return key.atMs < clock.nowMs() - TRIED_MS_MAX / 2 ? 'expired' : { kind: 'later', reason: 'local' };
    }
    this.#attempts += 1;
    const header = synchronizes === true ? await synchronization?.(signer, signerUri, inbox) : undefined;
    const more = header === undefined ? {} : { [SYNCHRONIZATION_HEADER]: header };
    return client.deliver(inbox, body, signers.signerOf(signer, signerUri), more);
  }

  #judge({ kind, status, reason = 'failed', afterMs, scheme }: DeliveryOutcome): void {
    const { clock, random, figures } = this.context;
    const nowMs = clock.nowMs();
    const outcome = kind === 'later' ? reason : kind;
    if (outcome === 'delivered') figures.delivered++;
    else figures.failed[outcome]++;
    // The host was not asked, so this says nothing about it: a fault of this server, or an address that may not be used.
    if (outcome === 'local' || (outcome === 'refused' && status === undefined)) return;
    this.context.places.record(this.start.host, outcome !== 'timeout' && outcome !== 'unreachable');
    this.#tally[outcome]++;
    if (scheme !== undefined) this.#scheme = scheme;
    if (kind !== 'later' || status === UNAUTHORIZED) this.#breaker = afterAnswer(this.#breaker, nowMs);
    else if (status === TOO_MANY_REQUESTS && afterMs !== undefined)
      this.#breaker = afterRequestedPause(this.#breaker, nowMs, afterMs);
    else this.#breaker = afterFailure(this.#breaker, { nowMs, askedMs: afterMs, fraction: random.fraction() });
  }

  /** An answer of the host after failures makes everything due that failed before. */
  #isDue({ value: { dueMs, triedMs, attempts } }: DeliveryRow): boolean {
    const { openings, recoveredAtMs } = this.#breaker;
    return openings > 0 || dueMs <= this.context.clock.nowMs() || (attempts > 0 && triedMs < recoveredAtMs);
  }

  #isRetired({ value: { inbox } }: DeliveryRow): boolean {
    const untilMs = this.start.retired.get(inbox) ?? 0;
    return untilMs > this.context.clock.nowMs() || this.#retired.some((one) => one.inbox === inbox);
  }

  #retire(inbox: string): void {
    this.#retired.push({ inbox, untilMs: this.context.clock.nowMs() + RETIRED_MS });
  }

  #retryMs(attempts: number): number {
    const leastMs = Math.min(RETRY_MOST_MS / 2, RETRY_FIRST_MS * RETRY_GROWTH ** Math.min(attempts, 10));
    return leastMs * (1 + this.context.random.fraction());
  }

  #drop(row: DeliveryRow, reason: DeliveryDrop, writes: RowWrite[]): void {
    this.context.figures.dropped[reason]++;
    this.#tally.dropped++;
    writes.push(remove(deliveries, row.key));
  }

  #stays({ key: { atMs } }: DeliveryRow): void {
    this.#waiting += 1;
    this.#oldestMs = Math.min(this.#oldestMs ?? atMs, atMs);
  }

  /** Counts what waits for a host that does not answer, and drops the oldest of too many. */
  async #count(nowMs: number): Promise<void> {
    const { tables } = this.context;
    const { host, fromMs } = this.start;
    let count = 0;
    for await (const page of deliveryPages(tables, host, fromMs, nowMs, COUNTED_ROWS)) {
      count += page.length;
      this.#oldestMs ??= page[0]?.key.atMs;
    }
    this.#waiting = count;
    let excess = count - WAITING_MAX;
    if (excess <= 0) return;
    for await (const page of deliveryPages(tables, host, fromMs, nowMs, WRITE_ROWS_MAX)) {
      const writes: RowWrite[] = [];
      for (const row of page.slice(0, excess)) this.#drop(row, 'overflow', writes);
      await tables.write(writes, DEFERRED_OVER);
      excess -= writes.length;
      this.#waiting -= writes.length;
      if (excess <= 0) return;
    }
  }
}

/** Deliveries of one line go one after the other. */
const lineOf = ({ value: { order, inbox } }: DeliveryRow): string => `${order} ${inbox}`;

/** The earlier one was never tried, so its object is not known at the inbox, or known in a version before both. */
const isReplaced = (earlier: DeliveryRow, later: DeliveryRow): boolean =>
  earlier.value.attempts === 0 && REPLACES[later.value.type]?.includes(earlier.value.type) === true;
