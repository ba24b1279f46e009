import { compareIds, idMs, idsApart, makeId, storedId } from '../../actors/domain/ids.js';
import { type Problem, problem } from '../../actors/domain/problem.js';
import type { Clock } from '../../actors/domain/time.js';

/**
 * Ids that a position names, at seven characters each; their order is that of minting, told they are when they are
 * stored. A position then has 1 KB at most, a quarter of the headers that uWebSockets reads. A home of three statuses a
 * second has no more within TOLD_MS.
 */
const NAMED_MAX = 128;
/** When they are more the lowest go, several at once: what the others are called by is written anew then. */
const NAMED_KEPT = 96;
/** What was minted longer ago has been told, or is found as what the bus lost is. */
const TOLD_MS = 30_000;
/** The floor is raised to it in steps, for the same reason. */
const TOLD_STEP_MS = 10_000;
const BASE = 36;
const POSITION = /^[0-9]{1,18}(?:~-?[0-9a-z]{1,12}){0,130}$/;

/** Where a stream goes on: whatever is above the floor, but for these. */
export interface Since {
  readonly floor: string;
  readonly sent: readonly string[];
  /** The stream begins here: its client was sent nothing before. */
  readonly isNew?: true;
}

/**
 * How far a subscription has come, for whoever resumes it at another node. The last id alone does not say: statuses are told
 * as they are stored, which is not quite the order of their ids.
 */
export class Position {
  #floor: string;
  /** Above the floor. */
  readonly #sent = new Set<string>();
  /** How these are named, above the floor; undefined: nobody has asked since the floor was raised. */
  #named: string | undefined;
  readonly #clock: Pick<Clock, 'nowMs'>;

  constructor({ floor, sent }: Since, clock: Pick<Clock, 'nowMs'>) {
    this.#floor = floor;
    this.#clock = clock;
    for (const id of sent) this.add(id);
  }

  add(id: string): void {
    if (compareIds(id, this.#floor) <= 0 || this.#sent.has(id)) return;
    this.#sent.add(id);
    if (this.#sent.size > NAMED_MAX) this.#raise([...this.#sent].sort(compareIds).at(-1 - NAMED_KEPT) as string);
    else if (this.#named !== undefined) this.#named += this.#nameOf(id);
  }

  /** Everything up to `floor` is the client's own business: it was told to reload. */
  restart(floor: string): void {
    if (compareIds(floor, this.#floor) > 0) this.#raise(floor);
  }

  /** As a client names it to resume: the id, how far it is above the floor, and how far what was sent is above that. */
  after(id: string): string {
    const toldMs = this.#clock.nowMs() - TOLD_MS;
    if (idMs(this.#floor) < toldMs - TOLD_STEP_MS) this.#raise(makeId(toldMs, 0, 0));
    if (this.#named === undefined) {
      this.#named = '';
      for (const one of this.#sent) this.#named += this.#nameOf(one);
    }
    return id + this.#nameOf(id) + this.#named;
  }

  readonly #nameOf = (id: string): string => `~${idsApart(id, this.#floor).toString(BASE)}`;

  #raise(floor: string): void {
    this.#floor = floor;
    this.#named = undefined;
    for (const id of this.#sent) if (compareIds(id, floor) <= 0) this.#sent.delete(id);
  }
}

/** What a client names: such a position, or an id after which everything is to come. */
export function sinceOf(text: string | undefined): Since | undefined | Problem {
  if (text === undefined || text === '') return undefined;
  if (!POSITION.test(text)) return problem('bad_request', 'The position is not an id');
  const [id = '', above, ...named] = text.split('~');
  const at = BigInt(id);
  const floor = above === undefined ? at : at - parsed(above);
  const ids = [floor, ...named.map((offset) => floor + parsed(offset))];
  if (ids.some((one) => one < 0n || one >= 10n ** 18n)) return problem('bad_request', 'The position is not an id');
  const [first = '', ...sent] = ids.map((one) => storedId(String(one)));
  return { floor: first, sent };
}

function parsed(text: string): bigint {
  const isNegative = text.startsWith('-');
  const digits = [...text].slice(isNegative ? 1 : 0);
  const value = digits.reduce((sum, digit) => sum * BigInt(BASE) + BigInt(Number.parseInt(digit, BASE)), 0n);
  return isNegative ? -value : value;
}
