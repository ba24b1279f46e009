import type { StoreAnswered } from '../../../proto/gen/types.js';
import { ANSWERED_BYTES_MAX, ANSWERED_MAX, ANSWERED_MS } from '../limits.js';
import { hasPassed, type Moment } from '../placement/steady-clock.js';

/**
 * A stored reply as in snapshots. `reply`: its bytes as Latin-1 characters, which take a tenth of a typed array's
 * memory.
 */
type AnsweredMark = readonly [key: string, wallMs: number, steadyMs: number, reply: string];

interface CachedReply extends Moment {
  readonly reply: string;
}

/**
 * The replies of an actor to commands with an idempotency key. A repeated command gets the same reply and is not
 * decided again. Number, age and total size are bounded: the oldest are evicted first, and the newest stays whatever
 * its size. It is no `Cache`: snapshots contain it, so that every owner of the actor drops the same replies.
 */
export class RepliesByKey {
  /** Oldest first. */
  private readonly byKey = new Map<string, CachedReply>();
  private bytes = 0;

  static from(marks: readonly AnsweredMark[]): RepliesByKey {
    const answered = new RepliesByKey();
    for (const [key, wallMs, steadyMs, reply] of marks) answered.keep(key, { wallMs, steadyMs, reply });
    return answered;
  }

  /** The reply's bytes; undefined when there is none or it is too old. */
  find(key: string, now: Moment): Uint8Array | undefined {
    const kept = this.byKey.get(key);
    return kept === undefined || hasPassed(ANSWERED_MS, kept, now) ? undefined : Buffer.from(kept.reply, 'latin1');
  }

  note({ key, reply, steadyMs }: StoreAnswered, wallMs: number): void {
    const { buffer, byteOffset, byteLength } = reply;
    this.keep(key, { wallMs, steadyMs, reply: Buffer.from(buffer, byteOffset, byteLength).toString('latin1') });
  }

  /** Returns the unexpired replies, oldest first. */
  marks(now: Moment): AnsweredMark[] {
    this.forget(now);
    return Array.from(this.byKey, ([key, { wallMs, steadyMs, reply }]) => [key, wallMs, steadyMs, reply]);
  }

  private keep(key: string, kept: CachedReply): void {
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
