import type { StoreJournalRecord, StoreSnapshotRecord } from '../../../proto/gen/types.js';
import { Unavailable } from '../../domain/problem.js';
import { Cancellation, Cancelled } from '../asking/cancellation.js';
import { type Delivery, NotTaken } from '../asking/delivery.js';
import { Mailbox } from '../asking/mailbox.js';
import type { Lane } from '../effects/lane.js';
import { actorName } from '../kind.js';
import { WARM_BYTES_MAX } from '../limits.js';
import type { ActorCore } from '../state/core.js';
import { type Activated, type ActivationSettings, activate } from './activate.js';
import type { ActivationContext } from './activation-context.js';
import { type Answer, afterEarlyReply, type DecidedBatch, decideBatch, rowsFor } from './batch.js';
import { FORGET_POLL_MS } from './forgetting.js';
import type { Hosted, NactHost } from './nact-host.js';
import { reportEnd } from './report-end.js';

/** Microtask turns to wait for a lane before writing a backlog row. A reaction without I/O ends within a few. */
const TURNS_MAX = 32;
const NO_BYTES = new Uint8Array(0);

/**
 * One actor in memory. It decides commands one after the other, and stores all that wait at the same time in one
 * append. Replies and effects leave only when the append is durable and this node still owns the shard under the same
 * epoch.
 */
export class Activation {
  readonly name: string;
  readonly shard: number;
  readonly epoch: number;
  /** Monotonic time of the last command, exact to a second. The owner of the LRU order sets it. */
  usedMs: number;
  private readonly mailbox: Mailbox<Delivery>;
  private readonly hosted: Hosted;
  private readonly halt = new Cancellation();
  private awake: Activated | undefined;
  private batch: readonly Delivery[] = [];
  private turnUnderWay: Promise<void> | undefined;
  /** Decided commands whose replies wait for effects. */
  private waitingReplies: Delivery[] | undefined;
  private quieting = false;
  /** True until the first idle check, if the store held nothing of the actor before. */
  private isNew: boolean;
  private atRest: (() => void)[] = [];
  private readonly found: string[];

  constructor(
    private readonly around: ActivationContext,
    private readonly settings: ActivationSettings,
    host: NactHost,
  ) {
    this.name = actorName({ kind: settings.blueprint.kind.name, id: settings.id });
    this.shard = settings.shard;
    this.epoch = settings.epoch;
    this.usedMs = around.clock.monotonicMs();
    this.found = [...settings.backlogKeys];
    this.isNew = settings.isNew;
    this.mailbox = new Mailbox(around.limits.mailboxMax);
    this.hosted = host.host(() => {
      this.turnUnderWay = this.turn();
      return this.turnUnderWay;
    });
    this.hosted.wake();
  }

  get kind(): string {
    return this.settings.blueprint.kind.name;
  }

  get id(): string {
    return this.settings.id;
  }

  /** Commands in the mailbox. */
  get waiting(): number {
    return this.mailbox.length;
  }

  get stopped(): boolean {
    return this.halt.halted;
  }

  /** Keys of backlog rows whose effects are not known to be done. */
  get unfinished(): readonly string[] {
    return this.awake === undefined ? this.found : this.awake.bookkeeping.unfinished;
  }

  /** True when no command, reply or effect is pending. */
  get quiet(): boolean {
    return this.waitingReplies === undefined && this.atEase;
  }

  /** True when no command or effect is pending. Replies may be. */
  private get atEase(): boolean {
    const { awake } = this;
    return (
      this.mailbox.length === 0 && this.turnUnderWay === undefined && awake?.before.idle === true && awake.after.idle
    );
  }

  /** Adds backlog rows that were found while the activation runs. They are removed together with its own. */
  adopt(backlogKeys: readonly string[]): void {
    this.found.push(...backlogKeys);
    if (this.awake === undefined) return;
    this.awake.bookkeeping.adopt(this.found.splice(0));
    this.settleWhenQuiet();
  }

  offer(delivery: Delivery): void {
    const { metrics } = this.around;
    if (!this.mailbox.offer(delivery)) {
      metrics.overflows += 1;
      delivery.fail(new Unavailable(`${this.name} has too many commands waiting`));
      return;
    }
    metrics.mailboxHighWater = Math.max(metrics.mailboxHighWater, this.mailbox.length);
    if (this.turnUnderWay === undefined) this.hosted.wake();
  }

  /** Removes the past of the actor from its journal and snapshots as soon as it is idle. Replies when that is done. */
  forget(delivery: Delivery): void {
    this.waitFor(delivery);
    const { commands } = this.settings.blueprint.kind;
    void this.forgetAtRest(delivery)
      .then(
        (isDone) => {
          if (isDone) this.acknowledge(delivery, commands.alarm?.out.decode(NO_BYTES));
          else delivery.fail(new Unavailable(`${this.name} could not remove its past`));
        },
        (error: Error) => delivery.fail(error instanceof Cancelled ? new NotTaken(`${this.name} was stopped`) : error),
      )
      .finally(() => this.waitNoMore(delivery));
  }

  private async forgetAtRest(delivery: Delivery): Promise<boolean> {
    while (!this.atEase) {
      if (!delivery.open) return false;
      await this.halt.sleep(this.around.clock, FORGET_POLL_MS);
    }
    let isDone = false;
    // Keeps other turns from starting meanwhile.
    this.turnUnderWay = this.inTurn(async (awake) => {
      isDone = awake.core.seq === 0 || (await this.forgetNow(awake));
    });
    await this.turnUnderWay;
    return isDone;
  }

  /**
   * Appends two entries without events first, so that the entries that remain hold no data. They have the current time,
   * by which stored replies have expired.
   */
  private async forgetNow({ core, before, after, bookkeeping: upkeep }: Activated): Promise<boolean> {
    if (!core.isKnownState) return false;
    const { journal } = this.around;
    const { seq } = core;
    const { wallMs, steadyMs } = this.around.steady.now();
    const atMs = Math.max(core.atMs, wallMs);
    core.steadyMs = steadyMs;
    const records: StoreJournalRecord[] = [1, 2].map(() => ({ atMs, events: [] }));
    await journal.append(this.name, seq, this.epoch, records);
    if (this.stopped) return false;
    if (!this.owned()) throw new NotTaken(`${this.name} moved while it was stored`);
    upkeep.stored(records, true);
    for (const [place, record] of records.entries()) {
      const entry = { seq: seq + 1 + place, atMs, events: [] };
      core.replay(entry.seq, record);
      before.push(entry);
      after.push(entry);
    }
    const isDone = await upkeep.snapshots.forget();
    this.settleWhenQuiet();
    return isDone;
  }

  /**
   * Returns the core if a turn could begin now: no command waits and no append is under way. Undefined: a query must be
   * queued. One that throws in the core throws again in its turn, which reports the fault.
   */
  coreNow(): ActorCore | undefined {
    const isIdle = this.turnUnderWay === undefined && this.mailbox.length === 0 && this.owned();
    return isIdle ? this.awake?.core : undefined;
  }

  /** Resolves when the before-reply effects that are known now are done, or a reply's patience has run out. */
  async caughtUp(): Promise<void> {
    if (this.awake === undefined && !this.stopped) await new Promise<void>((resolve) => this.atRest.push(resolve));
    const { awake } = this;
    if (awake !== undefined && !this.stopped)
      await new Promise<void>((resolve) => awake.before.whenDone(awake.core.seq, 'start', () => resolve()));
  }

  /** Ends the activation at once if it is idle and has nothing to write. Returns true when it ended. */
  leaves(): boolean {
    if (this.awake?.bookkeeping.clean !== true || !this.quiet) return false;
    this.stop();
    return true;
  }

  /** Ends the activation if it is idle, after writing what is left. Resolves to false if a command came meanwhile. */
  async passivate(): Promise<boolean> {
    const { awake } = this;
    if (awake === undefined || !this.quiet) return false;
    if (!awake.bookkeeping.clean) {
      const { seq } = awake.core;
      const { snapshots } = awake.bookkeeping;
      await Promise.all([awake.bookkeeping.settle(), snapshots.isWorth && snapshots.save()]);
      await snapshots.ended();
      if (this.stopped || !this.quiet || awake.core.seq !== seq || !awake.bookkeeping.settled) return false;
    }
    this.stop();
    return true;
  }

  /**
   * Finishes the queued commands, saves and stops. The caller delivers nothing more. Effects may run until `giveUpMs`
   * (monotonic); the next owner carries out the rest. Resolves to the stored snapshot if it is small and saves the next
   * owner a long replay.
   */
  async release(giveUpMs: number): Promise<StoreSnapshotRecord | undefined> {
    const { clock, limits } = this.around;
    if (this.mailbox.length > 0 || this.turnUnderWay !== undefined) {
      await new Promise<void>((resolve) => this.atRest.push(resolve));
    }
    const { awake } = this;
    if (awake === undefined || this.stopped) {
      this.stop();
      return undefined;
    }
    while (!(awake.before.idle && awake.after.idle) && !this.stopped && clock.monotonicMs() < giveUpMs) {
      await this.halt.sleep(clock, limits.releaseMs / 20).catch(() => undefined);
    }
    if (this.stopped) return undefined;
    // Skips the snapshot if little would be replayed: the next owner replays a few entries as fast as it reads a
    // snapshot.
    const { snapshots } = awake.bookkeeping;
    const [saved] = await Promise.all([snapshots.isWorth ? snapshots.save() : undefined, awake.bookkeeping.settle()]);
    awake.before.proceedAll();
    this.stop();
    await this.ended();
    return saved && saved.head.bytes <= WARM_BYTES_MAX
      ? { ...saved.head, state: Buffer.concat(saved.parts) }
      : undefined;
  }

  /** Ends the activation at once. Decided commands have an unknown outcome; all others may be sent again. */
  stop(doubt?: Error, untouched?: Error): void {
    if (this.stopped) return;
    this.halt.halt();
    this.hosted.stop();
    this.awake?.bookkeeping.leave();
    for (const delivery of [...this.batch, ...(this.waitingReplies ?? [])]) {
      if (doubt === undefined) delivery.doubt(`${this.name} was stopped before its answer was certain`);
      else delivery.fail(doubt);
    }
    for (const delivery of this.mailbox.take(this.mailbox.length)) {
      delivery.fail(untouched ?? new NotTaken(`${this.name} was stopped`));
    }
    this.leaveRest();
    this.settings.onStopped();
  }

  /** True when a write may still reach the store, even after a stop. */
  get atWork(): boolean {
    const { awake, turnUnderWay } = this;
    if (awake === undefined) return turnUnderWay !== undefined;
    return turnUnderWay !== undefined || awake.before.atWork || awake.after.atWork || !awake.bookkeeping.snapshots.idle;
  }

  /** Resolves when the stopped activation no longer writes to the store. */
  async ended(): Promise<void> {
    await this.turnUnderWay;
    const { awake } = this;
    await Promise.all([awake?.before.ended(), awake?.after.ended(), awake?.bookkeeping.snapshots.ended()]);
  }

  /** Handles one nact message: recovers the actor if needed, then handles one batch. Never rejects. */
  private turn(): Promise<void> {
    return this.inTurn((awake) => this.handleBatch(awake));
  }

  private async inTurn(action: (awake: Activated) => Promise<void>): Promise<void> {
    try {
      this.awake ??= await this.wakeUp();
      if (!this.stopped) await action(this.awake);
    } catch (error) {
      this.crash(error as Error);
    } finally {
      this.batch = [];
      this.turnUnderWay = undefined;
      if (this.mailbox.length > 0) this.hosted.wake();
      else this.leaveRest();
    }
  }

  private async wakeUp(): Promise<Activated> {
    const awake = await activate(this.around, this.settings, this.name, this.halt, () => this.progressed());
    awake.bookkeeping.adopt(this.found.splice(0));
    if (!this.stopped) {
      awake.before.start();
      awake.after.start();
      this.settleWhenQuiet();
    } else awake.bookkeeping.leave();
    return awake;
  }

  private async handleBatch(awake: Activated): Promise<void> {
    if (!this.owned()) throw new NotTaken(`${this.name} is moving`);
    const { steady, limits, journal, metrics, tables } = this.around;
    const storedSeq = awake.core.seq;
    const taken = this.mailbox.take(limits.batchMax);
    this.batch = taken;
    const settledSeq = awake.before.done;
    const reading = rowsFor(awake.core, taken, tables);
    const rows = reading && (await reading);
    if (this.stopped) return;
    const now = steady.now();
    const batch = decideBatch(awake.core, taken, now, settledSeq, rows);
    const { answers, repeats, fault, untouched } = batch;
    const decided = awake.before.hasAnsweredEarly ? afterEarlyReply(batch.decided) : batch.decided;
    metrics.repeats += repeats;
    if (fault !== undefined) this.reportFault(fault, awake.core.seq);
    if (decided.length > 0) {
      const records = decided.map(({ record }) => record);
      const areEffects = records.every(({ cause }) => cause !== undefined);
      const marks = awake.bookkeeping.marksFor(storedSeq, areEffects);
      await journal.append(this.name, storedSeq, this.epoch, records, marks);
      metrics.appends += 1;
      metrics.entries += records.length;
      if (this.stopped) return;
      awake.bookkeeping.stored(records, areEffects);
      if (!this.owned()) throw new NotTaken(`${this.name} moved while a command was stored`);
      for (const { entry } of decided) {
        awake.before.push(entry);
        awake.after.push(entry);
      }
    }
    this.batch = [];
    for (const answer of answers) this.answer(awake, answer);
    if (fault !== undefined) {
      for (const delivery of untouched) delivery.fail(new NotTaken(`${this.name} was stopped by a fault`));
      this.passRepliesOn();
      this.stop();
    } else if (decided.length > 0) {
      this.settleWhenQuiet();
      // A large state is encoded in several turns of the event loop. No command may change it meanwhile.
      const captured = awake.bookkeeping.snapshots.takeIfDue();
      if (captured !== undefined) await captured;
    }
  }

  private answer(awake: Activated, { delivery, reply, seq }: Answer): void {
    const { before } = awake;
    if (
      before.done >= seq ||
      this.settings.blueprint.queries.has(delivery.command) ||
      this.mayClose(before, delivery, seq)
    ) {
      this.answerFor(awake, { delivery, reply, seq });
      return;
    }
    this.waitFor(delivery);
    before.whenDone(seq, delivery.cause === undefined ? 'client' : 'effect', (mayAnswer) => {
      this.waitNoMore(delivery);
      if (mayAnswer) this.answerFor(awake, { delivery, reply, seq });
      else delivery.doubt(`${this.name} has not done yet what an acknowledged revocation promises`);
    });
  }

  /**
   * Acknowledges the command. The sender of an effect does not repeat it after the acknowledgement, so the effects that
   * it caused must be done or have a backlog row before.
   */
  private answerFor({ bookkeeping: upkeep }: Activated, { delivery, reply, seq }: Answer): void {
    const isQuery = this.settings.blueprint.queries.has(delivery.command);
    if (delivery.cause === undefined || isQuery || upkeep.answersFor(seq)) {
      this.acknowledge(delivery, reply);
      return;
    }
    this.waitFor(delivery);
    void this.marked(upkeep, seq).then((isMarked) => {
      this.waitNoMore(delivery);
      if (isMarked) this.acknowledge(delivery, reply);
      else delivery.doubt(`${this.name} could not store what it owes`);
    });
  }

  /**
   * Resolves to true when the entry's effects are done or have a backlog row. Most after-reply effects need no I/O and
   * end within a few microtask turns, so the row is written only for the others.
   */
  private async marked(upkeep: Activated['bookkeeping'], seq: number): Promise<boolean> {
    for (let turn = 0; turn < TURNS_MAX && !upkeep.answersFor(seq); turn++) await undefined;
    return upkeep.answersFor(seq) || upkeep.markNow();
  }

  private waitFor(delivery: Delivery): void {
    this.waitingReplies ??= [];
    this.waitingReplies.push(delivery);
  }

  /**
   * Leaves the replies of stored entries to the next activation, which is asked again and waits for their effects. A
   * command that must not be asked again is answered now: its entry is durable, whatever happened to the next one.
   */
  private passRepliesOn(): void {
    for (const delivery of [...(this.waitingReplies ?? [])])
      if (delivery.repeatable) delivery.doubt(`${this.name} ended before its effects were done`);
    this.awake?.before.proceedAll();
  }

  private waitNoMore(delivery: Delivery): void {
    const waiting = this.waitingReplies;
    const place = waiting?.indexOf(delivery) ?? -1;
    if (place >= 0) waiting?.splice(place, 1);
    if (waiting?.length === 0) this.waitingReplies = undefined;
  }

  /** Avoids a deadlock: the reply does not wait for effects that may, directly or indirectly, wait for the sender. */
  private mayClose(before: Lane, { cause }: Delivery, seq: number): boolean {
    if (cause === undefined) return false;
    const sender = cause.actor.slice(0, cause.actor.lastIndexOf('#'));
    return sender === this.name || before.mayClose(sender, seq);
  }

  private acknowledge(delivery: Delivery, reply: unknown): void {
    if (this.owned()) delivery.reply(reply);
    else delivery.doubt(`${this.name} moved before its answer`);
  }

  private owned(): boolean {
    return !this.stopped && this.around.placement.epochOf(this.shard) === this.epoch;
  }

  private progressed(): void {
    this.awake?.bookkeeping.progressed();
    this.settleWhenQuiet();
  }

  /** Saves the cursor and removes the backlog rows when the lanes have been idle for a while. */
  private settleWhenQuiet(): void {
    if (this.quieting) return;
    this.quieting = true;
    (this.isNew ? this.around.shortLived : this.around.passivation).watch(this);
  }

  /** Runs when the delay since `watch` has passed. */
  checkIdle(): void {
    this.quieting = false;
    const { awake, isNew } = this;
    this.isNew = false;
    if (this.stopped || awake === undefined) return;
    const isFleeting = isNew && awake.core.seq === 1;
    if (awake.bookkeeping.settled) {
      this.leaveEarly(isFleeting);
      return;
    }
    if (!this.quiet || (isNew && !isFleeting)) {
      this.settleWhenQuiet();
      return;
    }
    const { bookkeeping: upkeep } = awake;
    void upkeep.settle().then(() => {
      if (!upkeep.settled) this.settleWhenQuiet();
      else this.leaveEarly(isFleeting && awake.core.seq === 1);
    });
  }

  private leaveEarly(isFleeting: boolean): void {
    const { core } = this.awake ?? {};
    if (this.stopped || core === undefined) return;
    if (core.kind.leavesWhenDone?.(core.state) === true) this.settings.leave();
    else if (isFleeting && this.leaves()) this.around.metrics.passivated += 1;
  }

  private reportFault({ delivery, error }: NonNullable<DecidedBatch['fault']>, seq: number): void {
    const { command, cause } = delivery;
    this.around.metrics.crashes += 1;
    this.around.logger.error({ actor: this.name, seq, command, cause, err: error }, 'failed to handle a command');
    delivery.fail(new Error(`${this.name} failed on ${command}`, { cause: error }));
  }

  /** Ends an activation whose turn failed. The next command activates the actor again. */
  private crash(error: Error): void {
    if (this.stopped) return;
    this.passRepliesOn();
    const failure = reportEnd(this.around, this.name, this.awake?.core.seq, error);
    if (failure === undefined) this.stop();
    else this.stop(failure, this.awake === undefined ? failure : undefined);
  }

  private leaveRest(): void {
    const waiting = this.atRest;
    this.atRest = [];
    for (const proceed of waiting) proceed();
  }
}
