import { Deferred, Unavailable } from '../../domain/problem.js';
import type { Expiring } from '../../domain/time.js';
import type { ActivationContext } from '../activation/activation-context.js';
import { Cancelled } from '../asking/cancellation.js';
import type { Handlers } from '../blueprint.js';
import type { Effects, Happened } from '../kind.js';
import { type ActorCore, entryOf, type JournalEntry, type StoredEvent } from '../state/core.js';
import { backoffMs } from './backoff.js';
import { type EffectSource, EntryEffects, InOrder, type Wait, type Waits } from './effects.js';

/** First and longest pause after a failed reaction: a bug does not heal soon, and each attempt is logged. */
const FAULT_FIRST_MS = 500;
const FAULT_MOST_MS = 60_000;
/** Entries handled concurrently. As many commands of one actor can then be under way. */
const TOGETHER_MAX = 32;

/** A reply that waits for an entry's effects, until its patience runs out. */
class Waiter implements Expiring {
  constructor(
    readonly seq: number,
    readonly deadlineMs: number,
    /** True when another actor's effect waits, not a client. */
    readonly isEffect: boolean,
    /** True when a pending effect belongs to an event that revokes or hides something, see `strictTo`. */
    readonly isStrict: boolean,
    /** `mayAnswer`: true when the effects are done, or the reply need not wait for them. */
    readonly proceed: (mayAnswer: boolean) => void,
    private readonly onLate: (waiter: Waiter) => void,
  ) {}
  expire(): void {
    this.onLate(this);
  }
}

/**
 * One of an actor's two effect lanes, before or after the reply. It carries out the effects entry by entry, each until
 * it succeeds. Entries that do not fit its queue, and those that an earlier activation left, are read from the journal.
 */
export class Lane implements Waits {
  /** All effects up to this entry are done for good: they depend on no entry that can be lost. */
  done: number;
  /**
   * All effects up to this entry have been carried out. Reactions see the state with the entries of an append under
   * way. If that append fails, their rows are ahead of the journal, and the next activation must write them again.
   */
  private carriedOut: number;
  /** The last stored entry. */
  private known: number;
  /** An earlier activation may have carried out effects up to this entry. */
  private readonly inheritedTo: number;
  private queuedTo: number;
  private queue: JournalEntry[] = [];
  private running: Promise<void> | undefined;
  private waiters: Waiter[] = [];
  /** True when the current entry has outlasted a reply's patience. Further replies do not wait for it. */
  private late = false;
  /** True when the current entry's reactions have failed, and not because the store or an owner is unavailable. */
  private faulty = false;
  /** The last entry known when a reply left before its effects. Effects of later entries come after those up to it. */
  private answeredTo = 0;
  /**
   * The last entry with an invalidating event. No client gets a reply before the effects up to it are done, so that an
   * acknowledged revocation, hiding or block is in effect everywhere.
   */
  private strictTo: number;
  /** Effects sent to other actors and not answered yet; undefined when there are none. */
  private waits: Wait[] | undefined;

  constructor(
    private readonly around: ActivationContext,
    private readonly core: ActorCore,
    private readonly actor: string,
    readonly from: EffectSource,
    private readonly handlers: Handlers,
    /** Event types that are done only when every other node has received their effects. */
    private readonly invalidating: ReadonlySet<string>,
    cursor: number,
    /** Runs after each entry that is done. */
    private readonly onDone: () => void,
  ) {
    this.done = Math.min(cursor, core.seq);
    this.carriedOut = this.queuedTo = this.done;
    this.known = core.seq;
    this.inheritedTo = core.seq;
    // Any entry of an earlier activation may have such an event; the journal is not read to find out.
    this.strictTo = invalidating.size > 0 ? core.seq : 0;
  }

  get idle(): boolean {
    return this.done === this.known && this.running === undefined;
  }

  /** True when a client may have a reply that left before its effects, and these are still pending. */
  get hasAnsweredEarly(): boolean {
    return this.answeredTo > this.carriedOut;
  }

  get atWork(): boolean {
    return this.running !== undefined;
  }

  /** Starts with the entries that an earlier activation left. */
  start(): void {
    if (this.carriedOut < this.known && !this.from.halt.halted) this.running ??= this.run();
  }

  /** Queues an entry that is stored and confirmed by the placement. */
  push(entry: JournalEntry): void {
    const [isIdle, isDone] = [this.running === undefined && this.carriedOut === this.known, this.idle];
    this.known = entry.seq;
    if (entry.events.some(({ type }) => this.invalidating.has(type))) this.strictTo = entry.seq;
    if (isIdle && !entry.events.some((stored) => this.handlers.has(stored.type))) {
      this.queuedTo = this.carriedOut = entry.seq;
      if (isDone && this.core.seq === entry.seq) this.done = entry.seq;
      else this.settle();
      return;
    }
    this.settle();
    if (this.queuedTo === entry.seq - 1 && this.queue.length < this.around.limits.laneQueueMax) {
      this.queue.push(entry);
      this.queuedTo = entry.seq;
    }
    this.start();
  }

  /**
   * Returns true if the actor `sender` must not wait for the entry's effects, because they may, directly or indirectly,
   * wait for `sender`.
   */
  mayClose(sender: string, seq: number): boolean {
    return this.waits?.some((wait) => wait.target === sender || wait.seq < seq) === true;
  }

  /**
   * Records an outgoing effect. Avoids a deadlock: effects that wait here for later entries may, indirectly, block the
   * target, so their replies are released.
   */
  begin(wait: Wait): void {
    this.waits ??= [];
    this.waits.push(wait);
    if (this.waiters.length > 0) this.letGo(({ isEffect, seq }) => isEffect && seq > wait.seq);
  }

  end(wait: Wait): void {
    const place = this.waits?.indexOf(wait) ?? -1;
    if (place >= 0) this.waits?.splice(place, 1);
    if (this.waits?.length === 0) this.waits = undefined;
  }

  /**
   * Calls `proceed` when the entry's effects have been carried out, or patience has run out. Replies to effects are also
   * released to avoid deadlocks, see `mayClose`. A client's reply must not be sent when its patience has run out before
   * an invalidating event is done, nor an effect's while the lane waits for nothing but the store: its sender asks again.
   */
  whenDone(seq: number, waiting: 'client' | 'effect' | 'start', proceed: (mayAnswer: boolean) => void): void {
    const isEffect = waiting === 'effect';
    const isStrict = waiting === 'client' && this.strictTo > this.carriedOut;
    if (this.carriedOut >= seq) proceed(true);
    else if (this.late && !isStrict && !(isEffect && this.waitsForStore)) {
      this.answeredTo = this.known;
      proceed(true);
    } else {
      const deadlineMs = this.around.clock.monotonicMs() + this.around.limits.patienceMs;
      const waiter = new Waiter(seq, deadlineMs, isEffect, isStrict, proceed, (late) => this.expired(late));
      this.waiters.push(waiter);
      this.around.deadlines.watch(waiter);
    }
  }

  private expired(waiter: Waiter): void {
    this.waiters = this.waiters.filter((other) => other !== waiter);
    if (waiter.isEffect && this.waitsForStore) {
      waiter.proceed(false);
      return;
    }
    this.late = true;
    this.answeredTo = this.known;
    waiter.proceed(!waiter.isStrict);
  }

  /** True when the current entry waits neither for another actor nor for a fault to be mended. */
  private get waitsForStore(): boolean {
    return this.waits === undefined && !this.faulty;
  }

  /** Releases all waiting replies. */
  proceedAll(): void {
    this.letGo(() => true);
  }

  /** Resolves when no effect runs any more; soon after a halt. */
  async ended(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    try {
      while (this.carriedOut < this.known && !this.from.halt.halted) {
        if (this.queue.length === 0) await this.untilNoFault(() => this.refill(), this.carriedOut + 1);
        await this.carryOutNext();
      }
    } catch (error) {
      if (!(error instanceof Cancelled)) throw error;
    } finally {
      this.running = undefined;
      // An emptied array keeps its capacity, so it is replaced.
      if (this.queue.length === 0) this.queue = [];
    }
  }

  /**
   * Carries out the next entry, or the next ones concurrently if their effects may overlap. Entries finish in order.
   */
  private async carryOutNext(): Promise<void> {
    let count = 1;
    const overlapping = this.overlaps(this.queue[0]);
    if (overlapping) {
      while (count < TOGETHER_MAX && this.joins(this.queue[count])) count += 1;
    }
    if (count === 1) {
      const entry = this.queue.shift() as JournalEntry;
      // Each attempt starts with a new order, so that it does not wait for commands of an earlier attempt.
      const alone = !overlapping || entry.events.length === 1;
      const attempt = (isRetry: boolean) =>
        this.carryOut(entry, new InOrder(this.from.halt), alone, overlapping, isRetry);
      await this.untilNoFault(attempt, entry.seq);
      this.finished(entry.seq);
      return;
    }
    const entries = this.queue.splice(0, count);
    const order = new InOrder(this.from.halt);
    const outcomes = entries.map((entry) =>
      this.untilNoFault((isRetry) => this.carryOut(entry, order, false, overlapping, isRetry), entry.seq),
    );
    // Takes all rejections now: a later entry may be cancelled before an earlier one, and Node ends a process in which a
    // rejection is not handled.
    const ended = Promise.allSettled(outcomes);
    try {
      for (const [place, { seq }] of entries.entries()) {
        await outcomes[place];
        this.finished(seq);
      }
    } finally {
      // After a halt, waits for all entries, so that none runs when this has ended.
      await ended;
    }
  }

  private finished(seq: number): void {
    this.carriedOut = seq;
    this.late = this.faulty = false;
    if (this.waiters.length > 0) this.letGo((waiter) => waiter.seq <= seq);
    this.settle();
  }

  /** Marks carried-out entries as done, unless the state holds an entry that is not stored yet. */
  private settle(): void {
    if (this.core.seq > this.known || this.done === this.carriedOut) return;
    this.done = this.carriedOut;
    this.onDone();
  }

  private overlaps(entry: JournalEntry | undefined): boolean {
    const { kind, state } = this.core;
    if (entry === undefined) return false;
    return entry.events.every(({ type, event }) => kind.events[type]?.overlaps?.(event, state) === true);
  }

  /**
   * True when the entry may overlap with those before it. It comes after them if a client may have the reply of one,
   * which left before its effects: what the client does next shows next. An earlier owner may have given such replies to
   * the last entries that it left.
   */
  private joins(entry: JournalEntry | undefined): boolean {
    return this.overlaps(entry) && entry?.afterEarlyReply !== true && entry?.seq !== this.inheritedTo + 1;
  }

  /** Runs the reactions to the entry's events, and waits until all nodes have received what they invalidate. */
  private async carryOut(
    entry: JournalEntry,
    order: InOrder,
    alone: boolean,
    overlapping: boolean,
    isRetry: boolean,
  ): Promise<void> {
    const mayRepeat = isRetry || entry.seq <= this.inheritedTo;
    const effects = new EntryEffects(this.around, this.from, this, entry.seq, order, alone, mayRepeat);
    const { events } = entry;
    const happened = { self: this.core.id, seq: entry.seq, atMs: entry.atMs, state: this.core.state };
    try {
      // Inline, because each entry of each actor passes here, and another async call allocates.
      if (overlapping && events.length > 1) await this.reactTogether(events, happened, effects);
      else for (const stored of events) if (this.handlers.has(stored.type)) await this.react(stored, happened, effects);
      const isInvalidating = this.invalidating.size > 0 && events.some(({ type }) => this.invalidating.has(type));
      const invalidated = isInvalidating ? this.around.invalidated() : undefined;
      if (invalidated !== undefined) await this.from.halt.race(invalidated);
      order.finished(entry.seq);
    } catch (error) {
      effects.end();
      order.failed(entry.seq);
      throw error;
    }
  }

  /** Runs the reactions to overlapping events of one entry concurrently. */
  private async reactTogether(
    events: readonly StoredEvent[],
    happened: Happened<unknown>,
    effects: Effects,
  ): Promise<void> {
    const outcomes = await Promise.allSettled(events.map((stored) => this.react(stored, happened, effects)));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  private async react({ type, event }: StoredEvent, happened: Happened<unknown>, effects: Effects): Promise<void> {
    for (const handler of this.handlers.get(type) ?? []) {
      const pending = handler.run(event, happened, effects);
      if (pending !== undefined) await pending;
    }
  }

  private async refill(): Promise<void> {
    const upTo = Math.min(this.known, this.carriedOut + this.around.limits.laneQueueMax);
    const entries: JournalEntry[] = [];
    for await (const { seq, record } of this.around.journal.read(this.actor, this.carriedOut, this.from.epoch)) {
      if (seq <= upTo) entries.push(entryOf(this.core.kind, seq, record));
      if (seq >= upTo) break;
    }
    if (entries.length === 0) throw new Error(`the journal has lost the stored entry ${this.carriedOut + 1}`);
    this.queue = entries;
    this.queuedTo = upTo;
  }

  /** Retries until the action succeeds: an effect must never be lost, so even a bug is retried until it is fixed. */
  private async untilNoFault(action: (isRetry: boolean) => Promise<void>, seq: number): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      let wanted: Deferred | undefined;
      try {
        await action(attempt > 0);
        return;
      } catch (error) {
        if (error instanceof Cancelled || this.from.halt.halted) throw new Cancelled();
        const fields = { actor: this.actor, seq, lane: this.from.source, err: error };
        this.faulty ||= !(error instanceof Unavailable);
        if (error instanceof Deferred) wanted = error;
        else if (error instanceof Unavailable)
          this.around.logger.warn(fields, 'failed to carry out effects: a target is unavailable');
        else this.around.logger.error(fields, 'failed to run a reaction');
      }
      const [firstMs, mostMs] =
        wanted === undefined ? [FAULT_FIRST_MS, FAULT_MOST_MS] : [wanted.afterMs, wanted.afterMs];
      await this.from.halt.sleep(this.around.clock, backoffMs(attempt, firstMs, mostMs, this.around.random));
    }
  }

  private letGo(isDue: (waiter: Waiter) => boolean): void {
    const [only] = this.waiters;
    if (only === undefined) return;
    if (this.waiters.length === 1) {
      if (!isDue(only)) return;
      this.waiters = [];
      this.around.deadlines.forget(only);
      only.proceed(!only.isStrict || this.carriedOut >= only.seq);
      return;
    }
    const due = this.waiters.filter(isDue);
    if (due.length === 0) return;
    this.waiters = this.waiters.filter((waiter) => !isDue(waiter));
    for (const waiter of due) {
      this.around.deadlines.forget(waiter);
      waiter.proceed(!waiter.isStrict || this.carriedOut >= waiter.seq);
    }
  }
}
