import { isProblem, type Problem, problem } from '../../actors/domain/problem.js';
import { type ListedBlock, readBlocks } from '../../actors/domain/servers/block-list.js';
import { changesOf, endOf, isShrunk, type ListChanges } from '../../actors/domain/servers/list-changes.js';
import type { Clock, Timer } from '../../actors/domain/time.js';
import { BLOCK_LISTS } from '../../actors/instance/block-lists.js';
import { INSTANCE_ID } from '../../actors/instance/commands.js';
import { ENTRIES_MAX } from '../../actors/instance/entries.js';
import type { InstanceEntry, InstanceListReading } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';
import { putEntry, removeEntry } from '../settings/changes.js';
import { tooMany, unlimitedDomains } from './listed-blocks.js';

/** Largest list: ten times the largest public ones. A list is parsed at once, so its size bounds a pause of the node. */
export const LIST_BYTES_MAX = 2_000_000;
/** Lines of a list that are read: a multiple of the limits that there can be. */
export const LIST_LINES_MAX = 4 * ENTRIES_MAX;
/** Time between two readings of a list, and after a failed one. */
const EVERY_MS = 86_400_000;
const AGAIN_MS = 3_600_000;
/** Interval at which the node looks for lists to read. */
const LOOK_MS = 600_000;
const TYPES: readonly string[] = ['text/csv', 'text/plain', 'application/csv', 'application/octet-stream'];

const NEVER_READ: InstanceListReading = {
  ...{ triedAtMs: 0, readAtMs: 0, problem: '', applied: false },
  ...{ added: 0, changed: 0, removed: 0 },
};

/** Fetches a file of another server; undefined for any failure, a larger file included. */
type FetchList = (
  url: string,
  types: readonly string[],
  bytesMax: number,
) => Promise<{ readonly bytes: Uint8Array } | undefined>;

export interface BlockListNeeds {
  readonly services: Pick<Services, 'askInstance' | 'entries' | 'instance'>;
  readonly fetch: FetchList;
  readonly clock: Clock;
  /** Returns true on the node that reads the lists for all. */
  readonly isMine: () => boolean;
  /** Called when the store could not be read or written. */
  readonly failed: (error: unknown) => void;
  /** Called when a list cannot be read or applied, for the operator's log. */
  readonly refused: (url: string, reason: string) => void;
}

/** Lists of domain blocks to which operators subscribe. One node reads each of them daily. */
export class BlockLists {
  readonly #needs: BlockListNeeds;
  #timer: Timer | undefined;
  #closed = false;

  constructor(needs: BlockListNeeds) {
    this.#needs = needs;
  }

  start(): void {
    this.#later();
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  /** Reads the lists whose time has come. @throws Unavailable */
  async readDue(): Promise<void> {
    const { services, clock, isMine } = this.#needs;
    if (!isMine()) return;
    for (const entry of await services.entries.of(BLOCK_LISTS)) {
      const { triedAtMs, problem: fault } = readingOf(entry);
      const isDue = clock.nowMs() - triedAtMs >= (fault === '' ? EVERY_MS : AGAIN_MS);
      if (isDue && !this.#closed) await this.read(entry);
    }
  }

  /** Fetches a list and compares it with the limits here. @throws Unavailable */
  async changes(entry: InstanceEntry): Promise<ListChanges | Problem> {
    const blocks = await this.#fetch(entry.key);
    if (isProblem(blocks)) return blocks;
    const { services } = this.#needs;
    const isProtected = await unlimitedDomains(services);
    const known = await services.entries.of('domain_blocks');
    return changesOf(entry.id, blocks, known, { isProtected, lifted: entry.blockList?.lifted ?? [] });
  }

  /**
   * Reads a list, applies its changes if its policy or the operator permits them, and stores the outcome. A list that
   * cannot be read changes nothing.
   * @param isApproved the operator has asked for the changes, whatever the policy
   * @throws Unavailable
   */
  async read(entry: InstanceEntry, isApproved = false): Promise<InstanceListReading> {
    const { services, clock } = this.#needs;
    const before = readingOf(entry);
    const found = await this.changes(entry);
    if (isProblem(found)) return this.#note(entry, { ...before, problem: found.detail });
    const counts = { added: found.added.length, changed: found.changed.length, removed: found.removed.length };
    const read = { ...before, ...counts, readAtMs: clock.nowMs() };
    const isShort = isShrunk(entry.id, found, await services.entries.of('domain_blocks'));
    if (!isApproved && isShort)
      return this.#note(entry, { ...read, applied: false, problem: 'The list lost most of its domains' });
    const isPermitted = isApproved || entry.blockList?.policy === 'apply';
    const fault = isPermitted ? await this.#apply(entry.id, found) : undefined;
    return this.#note(entry, {
      ...read,
      applied: isPermitted && fault === undefined,
      problem: fault?.detail ?? '',
    });
  }

  /**
   * Ends a subscription; durable when resolved. Limits that only this list brought end, or become the operator's with
   * `keeps`. Returns their number. @throws Unavailable
   */
  async end(entry: InstanceEntry, keeps: boolean): Promise<number | Problem> {
    const { services } = this.#needs;
    const known = await services.entries.of('domain_blocks');
    const { removed, shared } = endOf(entry.id, known);
    const own = removed.flatMap(({ id, key, domain }) =>
      domain === undefined ? [] : [{ id, key, domain: { ...domain, lists: [] } }],
    );
    const changed = keeps ? [...shared, ...own] : shared;
    const fault = await this.#apply(entry.id, { added: [], changed, shared: [], removed: keeps ? [] : removed });
    if (fault !== undefined) return fault;
    const gone = await removeEntry(services, '', BLOCK_LISTS, entry.id);
    return isProblem(gone) ? gone : removed.length;
  }

  async #fetch(url: string): Promise<readonly ListedBlock[] | Problem> {
    const file = await this.#needs.fetch(url, TYPES, LIST_BYTES_MAX);
    if (file === undefined)
      return problem('unavailable', `The list cannot be fetched as CSV of ${LIST_BYTES_MAX / 1_000_000} MB at most`);
    const blocks = readBlocks(Buffer.from(file.bytes).toString('utf8'), LIST_LINES_MAX);
    if (blocks.length === 0) return problem('invalid', 'The list names no domain');
    return tooMany(blocks) ?? blocks;
  }

  /** Writes changes in the name of a list. An operator who was faster wins. Returns what stopped it. */
  async #apply(
    list: string,
    { added, changed, shared, removed }: Omit<ListChanges, 'skipped'>,
  ): Promise<Problem | undefined> {
    const { services } = this.#needs;
    // Removals come first, so that a full collection has room.
    for (const { id } of removed) await removeEntry(services, list, 'domain_blocks', id);
    for (const change of [...changed, ...shared, ...added]) {
      const put = await putEntry(services, list, { collection: 'domain_blocks', ...change });
      if (isProblem(put) && put.problem === 'limit_reached') return put;
    }
    return undefined;
  }

  async #note({ id, key }: InstanceEntry, read: InstanceListReading): Promise<InstanceListReading> {
    if (read.problem !== '') this.#needs.refused(key, read.problem);
    const reading = { ...read, triedAtMs: this.#needs.clock.nowMs() };
    await this.#needs.services.askInstance(INSTANCE_ID, 'noteReading', { id, reading });
    return reading;
  }

  #later(): void {
    if (this.#closed) return;
    this.#timer = this.#needs.clock.after(LOOK_MS, () => {
      void this.readDue()
        .catch(this.#needs.failed)
        .finally(() => this.#later());
    });
  }
}

/** Returns the last reading of a subscription. */
export const readingOf = ({ blockList }: InstanceEntry): InstanceListReading => blockList?.reading ?? NEVER_READ;
