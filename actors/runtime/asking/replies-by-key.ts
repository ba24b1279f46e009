import type { StoreAnswered } from '../../../proto/gen/types.js';
import { ANSWERED_BYTES_MAX, ANSWERED_MAX, ANSWERED_MS } from '../limits.js';
import { hasPassed, type Moment } from '../placement/steady-clock.js';

/** An answer as kept in snapshots. `reply`: its bytes, one to a character, which takes a tenth of a typed array's memory. */
type AnsweredMark = readonly [key: string, wallMs: number, steadyMs: number, reply: string];

interface Kept extends Moment {
  readonly reply: string;
}

/**
 * What an actor answered to commands that carried a key, so that it answers their repeats alike without deciding again.
 * The oldest give way, to number, age and size; the newest stays whatever its size.
 */
export class Answered {
  /** Oldest first. */
  private readonly byKey = new Map<string, Kept>();
  private bytes = 0;

  static from(marks: readonly AnsweredMark[]): Answered {
    const answered = new Answered();
    for (const [key, wallMs, steadyMs, reply] of marks) answered.keep(key, { wallMs, steadyMs, reply });
    return answered;
  }

  /** The reply's bytes; undefined: none is known, or it is too old to count. */
  find(key: string, now: Moment): Uint8Array | undefined {
    const kept = this.byKey.get(key);
    return kept === undefined || hasPassed(ANSWERED_MS, kept, now) ? undefined : Buffer.from(kept.reply, 'latin1');
  }

  note({ key, reply, steadyMs }: StoreAnswered, wallMs: number): void {
    const { buffer, byteOffset, byteLength } = reply;
    this.keep(key, { wallMs, steadyMs, reply: Buffer.from(buffer, byteOffset, byteLength).toString('latin1') });
  }

  /** Oldest first, without those that count no more. */
  marks(now: Moment): AnsweredMark[] {
    this.forget(now);
    return Array.from(this.byKey, ([key, { wallMs, steadyMs, reply }]) => [key, wallMs, steadyMs, reply]);
  }

  private keep(key: string, kept: Kept): void {
    this.drop(key);
    this.byKey.set(key, kept);
    this.bytes += key.length + kept.reply.length;
    this.forget(kept);
  }

  private forget(now: Moment): void {
    for (const [key, kept] of this.byKey) {
      const isTooMuch = this.byKey.size > ANSWERED_MAX || (this.bytes > ANSWERED_BYTES_MAX && this.byKey.size > 1);
      if (!isTooMuch && !hasPassed(ANSWERED_MS, kept, now)) break;
      this.drop(key);
    }
  }

  private drop(key: string): void {
    const kept = this.byKey.get(key);
    if (kept === undefined) return;
    this.byKey.delete(key);
    this.bytes -= key.length + kept.reply.length;
  }
}
