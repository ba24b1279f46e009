import type { Clock, Random, Timer } from '../actors/domain/time.js';
import { codec } from '../proto/codec.js';
import { type Bus, HEARD_TOPIC, heardSubject } from '../transport/bus.js';
import { type Peers, UNRESPONSIVE_MS } from './peer-liveness.js';

/**
 * Time after which a node that has not confirmed is not waited for again until it confirms once more: a node that died,
 * hangs, or is of a version without confirmations costs each other node this much once. Well below the timeout of
 * replies (5 s), and longer than a busy node takes. In the meantime a partitioned node notices that it receives nothing
 * (UNRESPONSIVE_MS); the rest is for messages that are on their way.
 */
const PATIENCE_MS = UNRESPONSIVE_MS + 500;
/** Interval of checks if a missing node has left the cluster. */
const LOOK_MS = 250;
const NAME_BYTES = 8;

const questions = codec('murmuration.node.AskHeard');
const answers = codec('murmuration.node.HaveHeard');

interface Question {
  readonly number: number;
  /** Nodes that have not confirmed yet. */
  readonly missing: Set<string>;
  readonly resolve: () => void;
  timer: Timer | undefined;
}

/**
 * A barrier: resolves when all other nodes have received the publications of this one. A question is sent after earlier
 * publications, in the same message, and a publisher's messages arrive in order: a node that confirms has received them
 * all.
 */
export class InvalidationBarrier {
  readonly #reply: string;
  /** In the order of their numbers. */
  readonly #open = new Set<Question>();
  /** Nodes that did not confirm in time and have not confirmed since. */
  readonly #late = new Set<string>();
  /** The latest unanswered question of each other node, by its reply subject. */
  readonly #due = new Map<string, number>();
  #members: (() => Pick<Peers, 'self' | 'others'>) | undefined;
  #last = 0;

  private constructor(
    private readonly bus: Bus,
    private readonly clock: Pick<Clock, 'after'>,
    random: Pick<Random, 'bytes'>,
  ) {
    this.#reply = heardSubject(Buffer.from(random.bytes(NAME_BYTES)).toString('hex'));
  }

  static async open(
    bus: Bus,
    clock: Pick<Clock, 'after'>,
    random: Pick<Random, 'bytes'>,
  ): Promise<InvalidationBarrier> {
    const audience = new InvalidationBarrier(bus, clock, random);
    await bus.subscribe(audience.#reply, (payload) => audience.#answered(answers.decode(payload)));
    await bus.subscribe(HEARD_TOPIC, (payload) => audience.#onQuestion(questions.decode(payload)));
    return audience;
  }

  /** Gives the barrier its view of the members. */
  watch(company: () => Pick<Peers, 'self' | 'others'>): void {
    this.#members = company;
  }

  /**
   * Resolves when every other node has received all earlier publications, or after the timeout. Undefined: there is no
   * node to wait for, or no connection to them.
   */
  untilReceived(): Promise<void> | undefined {
    const others = this.#members?.().others ?? [];
    if (others.length === 0 || !this.bus.healthy()) return undefined;
    for (const member of this.#late) if (!others.includes(member)) this.#late.delete(member);
    const number = ++this.#last;
    this.bus.publish(HEARD_TOPIC, questions.encode({ reply: this.#reply, number }));
    const missing = new Set(others.filter((member) => !this.#late.has(member)));
    if (missing.size === 0) return undefined;
    return new Promise((resolve) => {
      const question: Question = { number, missing, resolve, timer: undefined };
      this.#open.add(question);
      this.#watch(question, PATIENCE_MS);
    });
  }

  #watch(question: Question, leftMs: number): void {
    question.timer = this.clock.after(LOOK_MS, () => {
      const others = this.#members?.().others ?? [];
      for (const member of question.missing) {
        if (!others.includes(member)) question.missing.delete(member);
        else if (leftMs <= LOOK_MS) this.#late.add(member);
      }
      if (question.missing.size === 0 || leftMs <= LOOK_MS) this.#done(question);
      else this.#watch(question, leftMs - LOOK_MS);
    });
  }

  #done(question: Question): void {
    question.timer?.cancel();
    this.#open.delete(question);
    question.resolve();
  }

  /** Ends all waits. */
  close(): void {
    this.#members = undefined;
    for (const question of this.#open) this.#done(question);
  }

  /** Records a question. Questions that arrive together get one answer, with the number of the last. */
  #onQuestion({ reply, number }: { readonly reply: string; readonly number: number }): void {
    if (reply === this.#reply) return;
    if (this.#due.size === 0) queueMicrotask(() => this.#answer());
    this.#due.set(reply, number);
  }

  #answer(): void {
    const member = this.#members?.().self;
    const due = [...this.#due];
    this.#due.clear();
    // Nobody waits for a node that is not a member.
    if (member === undefined) return;
    for (const [reply, number] of due) this.bus.publish(reply, answers.encode({ member, number }));
  }

  #answered({ member, number }: { readonly member: string; readonly number: number }): void {
    this.#late.delete(member);
    for (const question of this.#open) {
      if (question.number > number) return;
      if (question.missing.delete(member) && question.missing.size === 0) this.#done(question);
    }
  }
}
