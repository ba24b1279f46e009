import { compareIds, idMs, idsApart, makeId, storedId } from '../../actors/domain/ids.js';
import { type Problem, problem } from '../../actors/domain/problem.js';
import type { Clock } from '../../actors/domain/time.js';

/**
 * Ids in a position, at seven characters each. Ids are in the order of minting, but statuses are published when they
 * are stored. A position then has at most 1 KB, a quarter of the headers that uWebSockets reads. A home timeline with
 * three statuses a second has no more ids within TOLD_MS.
 */
const NAMED_MAX = 128;
/**
 * Ids that remain when there are more: the lowest are dropped several at a time, because the encoding of the others
 * must then be rebuilt.
 */
const NAMED_KEPT = 96;
/** Age after which an id has been published, or is found by a catch-up, as events that the bus lost are. */
const TOLD_MS = 30_000;
/** Step in which the floor rises, for the same reason. */
const TOLD_STEP_MS = 10_000;
const BASE = 36;
const POSITION = /^[0-9]{1,18}(?:~-?[0-9a-z]{1,12}){0,130}$/;

/** Position from which a stream resumes: everything above the floor, except these ids. */
export interface Since {
  readonly floor: string;
  readonly sent: readonly string[];
  /** Present if the stream begins here: its client got nothing before. */
  readonly isNew?: true;
}

/**
 * Progress of a subscription, with which a client can resume on another node. The last id alone is not enough: statuses
 * are published as they are stored, which is not quite the order of their ids.
 */
export class Position {
  #floor: string;
  /** Sent ids above the floor. */
  readonly #sent = new Set<string>();
  /** Cached encoding of these ids, relative to the floor; undefined if the floor has changed since. */
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

  /** Moves the floor: the client has to reload everything up to it. */
  restart(floor: string): void {
    if (compareIds(floor, this.#floor) > 0) this.#raise(floor);
  }

  /**
   * Returns the position after an event: the id, its distance from the floor, and the distances of the sent ids from
   * the floor.
   */
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

/** Parses a client's position: such a text, or an id after which everything is sent. */
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
