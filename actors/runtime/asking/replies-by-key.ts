import type { StoreAnswered } from '../../../proto/gen/types.js';
import { ANSWERED_BYTES_MAX, ANSWERED_MAX, ANSWERED_MS } from '../limits.js';

/** An answer as kept in snapshots. `reply`: its bytes, one to a character, which takes a tenth of a typed array's memory. */
type AnsweredMark = readonly [key: string, atMs: number, reply: string];

interface Kept {
  readonly atMs: number;
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
    for (const [key, atMs, reply] of marks) answered.keep(key, atMs, reply);
    return answered;
  }

  /** The reply's bytes; undefined: none is known, or it is too old to count. */
  find(key: string, nowMs: number): Uint8Array | undefined {
    const kept = this.byKey.get(key);
    return kept === undefined || nowMs - kept.atMs >= ANSWERED_MS ? undefined : Buffer.from(kept.reply, 'latin1');
  }

  note({ key, reply }: StoreAnswered, atMs: number): void {
    const { buffer, byteOffset, byteLength } = reply;
    this.keep(key, atMs, Buffer.from(buffer, byteOffset, byteLength).toString('latin1'));
  }

  /** Oldest first, without those that count no more. */
  marks(nowMs: number): AnsweredMark[] {
    this.forget(nowMs);
    return Array.from(this.byKey, ([key, { atMs, reply }]) => [key, atMs, reply]);
  }

  private keep(key: string, atMs: number, reply: string): void {
    this.drop(key);
    this.byKey.set(key, { atMs, reply });
    this.bytes += key.length + reply.length;
    this.forget(atMs);
  }

  private forget(nowMs: number): void {
    for (const [key, { atMs }] of this.byKey) {
      const isTooMuch = this.byKey.size > ANSWERED_MAX || (this.bytes > ANSWERED_BYTES_MAX && this.byKey.size > 1);
      if (!isTooMuch && nowMs - atMs < ANSWERED_MS) break;
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
