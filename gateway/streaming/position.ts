import { compareIds, makeId, storedId } from '../../actors/domain/ids.js';
import { type Problem, problem } from '../../actors/domain/problem.js';
import type { Clock } from '../../actors/domain/time.js';

/** Ids that a position names, at six characters each; their order is that of minting, told they are when they are stored. */
const NAMED_MAX = 32;
/** What was minted longer ago has been told, or is found as what the bus lost is. */
const TOLD_MS = 30_000;
const POSITION = /^[0-9]{1,18}(?:~-?[0-9a-z]{1,12}){0,33}$/;

/** Where a stream goes on: whatever is above the floor, but for these. */
export interface Since {
  readonly floor: string;
  readonly sent: readonly string[];
}

/**
 * How far a subscription has come, for whoever resumes it at another node. The last id alone does not say: statuses are told
 * as they are stored, which is not quite the order of their ids.
 */
export class Position {
  #floor: string;
  /** Above the floor. */
  readonly #sent = new Set<string>();
  readonly #clock: Pick<Clock, 'nowMs'>;

  constructor({ floor, sent }: Since, clock: Pick<Clock, 'nowMs'>) {
    this.#floor = floor;
    this.#clock = clock;
    for (const id of sent) this.add(id);
  }

  add(id: string): void {
    if (compareIds(id, this.#floor) <= 0) return;
    this.#sent.add(id);
    if (this.#sent.size > NAMED_MAX) this.#raise([...this.#sent].reduce((least, one) => lower(least, one)));
  }

  /** As a client names it to resume: the id, and relative to it the floor and what else was sent above that. */
  after(id: string): string {
    const told = makeId(Math.max(0, this.#clock.nowMs() - TOLD_MS), 0, 0);
    if (compareIds(told, this.#floor) > 0) this.#raise(told);
    const at = BigInt(id);
    const named = [this.#floor, ...this.#sent].filter((one) => one !== id);
    return [id, ...named.map((one) => (at - BigInt(one)).toString(36))].join('~');
  }

  #raise(floor: string): void {
    this.#floor = floor;
    for (const id of this.#sent) if (compareIds(id, floor) <= 0) this.#sent.delete(id);
  }
}

const lower = (one: string, other: string) => (compareIds(one, other) < 0 ? one : other);

/** What a client names: such a position, or an id after which everything is to come. */
export function sinceOf(text: string | undefined): Since | undefined | Problem {
  if (text === undefined || text === '') return undefined;
  if (!POSITION.test(text)) return problem('bad_request', 'The position is not an id');
  const [id = '', ...offsets] = text.split('~');
  const at = BigInt(id);
  const ids = offsets.map((offset) => at - fromBase36(offset));
  if (ids.some((one) => one < 0n || one >= 10n ** 18n)) return problem('bad_request', 'The position is not an id');
  const [floor = storedId(id), ...others] = ids.map((one) => storedId(String(one)));
  return { floor, sent: offsets.length === 0 ? [] : [storedId(id), ...others] };
}

function fromBase36(text: string): bigint {
  const isNegative = text.startsWith('-');
  const digits = [...text].slice(isNegative ? 1 : 0);
  const value = digits.reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n);
  return isNegative ? -value : value;
}
