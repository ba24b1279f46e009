import type { StoreCause } from '../../../proto/gen/types.js';
import { Unavailable } from '../../domain/problem.js';
import type { Deadlines, Expiring } from '../../domain/time.js';

/** The command was not decided, so it can be sent again without harm: its actor is moving or was stopped. */
export class NotTaken extends Unavailable {}

/** A command as its caller sent it. */
export interface Message {
  readonly kind: string;
  readonly id: string;
  readonly command: string;
  readonly input: object;
  /** Set when the command is an effect of a stored event. */
  readonly cause: StoreCause | undefined;
  /** Idempotency key, see `Asker`. */
  readonly idempotencyKey: string | undefined;
}

/** A command in an actor's mailbox. The first answer settles it; later ones are ignored. */
export class Delivery implements Expiring {
  private answered = false;

  constructor(
    readonly command: string,
    readonly input: object,
    readonly cause: StoreCause | undefined,
    readonly idempotencyKey: string | undefined,
    /** Deadline by the monotonic clock. */
    readonly deadlineMs: number,
    /** True when the command may be sent again even if it may have been carried out. */
    readonly repeatable: boolean,
    private readonly resolve: (reply: unknown) => void,
    private readonly reject: (error: Error) => void,
    private readonly deadlines: Deadlines,
  ) {
    deadlines.watch(this);
  }

  get open(): boolean {
    return !this.answered;
  }

  reply(value: unknown): void {
    if (this.answered) return;
    this.close();
    this.resolve(value);
  }

  fail(error: Error): void {
    if (this.answered) return;
    this.close();
    this.reject(error);
  }

  /** Fails the command because its outcome is unknown. */
  doubt(why: string): void {
    this.fail(this.repeatable ? new NotTaken(why) : new Unavailable(why));
  }

  expire(): void {
    this.fail(new Unavailable(`${this.command} was not answered in time`));
  }

  private close(): void {
    this.answered = true;
    this.deadlines.forget(this);
  }
}
