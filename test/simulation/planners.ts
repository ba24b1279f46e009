import { SCHEDULE_AHEAD_MS_MIN } from '../../actors/account/scheduled.js';
import { isProblem } from '../../actors/domain/problem.js';
import type { AccountPost, AccountScheduledItem } from '../../proto/gen/types.js';
import type { Known, Ledger, Planned } from './ledger.js';
import type { Requests } from './requests.js';
import type { SeededRandom, World } from './world.js';

/** Pause between two requests of one account. */
const THINK_MS: readonly [number, number] = [500, 3_000];
/** Statuses that each account schedules before the story, due in the story. */
const EARLY = 3;
/** Statuses that each account schedules in the story. */
const PLANS_MAX = 4;

/** Shortest time until a due time: nodes whose clocks are ahead accept it. */
const EARLY_MS_MIN = SCHEDULE_AHEAD_MS_MIN + 5_000;
/** Time between the last early due time and the end of the story. */
const EARLY_BEFORE_END_MS = 2_000;
/** Range of the time until a due time that is set in the story. It exceeds what the judge takes after the story. */
const LATE_MS: readonly [number, number] = [SCHEDULE_AHEAD_MS_MIN + 60_000, SCHEDULE_AHEAD_MS_MIN + 80_000];

/** One person with a third app: schedules statuses, moves them and takes them back. */
export class Planner {
  private number = 0;

  constructor(
    readonly account: string,
    private readonly requests: Requests,
    private readonly world: World,
    private readonly random: SeededRandom,
    private readonly ledger: Ledger,
    private readonly storyMs: number,
  ) {}

  /** Schedules statuses before the first fault. */
  async begin(): Promise<void> {
    const lastMs = EARLY_MS_MIN + this.storyMs - EARLY_BEFORE_END_MS;
    for (let count = 0; count < EARLY; count++) await this.schedule(Number.POSITIVE_INFINITY, [EARLY_MS_MIN, lastMs]);
  }

  async live(untilMs: number): Promise<void> {
    while (this.world.now < untilMs) {
      await this.act(untilMs);
      await this.world.sleep(this.random.between(...THINK_MS));
    }
  }

  private async act(untilMs: number): Promise<void> {
    const dice = this.random.fraction();
    if (dice < 0.4) {
      if (this.number < EARLY + PLANS_MAX) await this.schedule(untilMs, LATE_MS);
      return;
    }
    const open = this.ledger.plans.filter(({ account, isOpen }) => account === this.account && isOpen);
    if (open.length === 0) return;
    const plan = this.random.pick(open);
    return dice < 0.6 ? this.unschedule(plan) : this.reschedule(plan);
  }

  /** Retries one status under one key until it is acknowledged or the story is over. */
  private async schedule(untilMs: number, aheadMs: readonly [number, number]): Promise<void> {
    const text = `plan ${this.number++} of ${this.account}`;
    const dueMs = this.world.wallMs + this.random.between(...aheadMs);
    const input = { post: postOf(text), dueMs };
    const plan: Planned = { account: this.account, text, id: undefined, dueMs: [dueMs], taken: 'no', isOpen: false };
    this.ledger.plans.push(plan);
    do {
      const reply = await this.requests.ask('account', this.account, 'schedule', input, `key ${text}`);
      if (reply === 'unknown' || isProblem(reply)) continue;
      plan.id = (reply as AccountScheduledItem).id;
      plan.isOpen = true;
      return;
    } while (this.world.now < untilMs);
  }

  private async unschedule(plan: Planned): Promise<void> {
    plan.taken = await this.change(plan, 'unschedule', { id: plan.id });
    if (plan.taken === 'yes') plan.isOpen = false;
  }

  private async reschedule(plan: Planned): Promise<void> {
    const dueMs = this.world.wallMs + this.random.between(...LATE_MS);
    const moved = await this.change(plan, 'reschedule', { id: plan.id, dueMs });
    if (moved === 'unknown') plan.dueMs.push(dueMs);
    if (moved === 'yes') plan.dueMs = [dueMs];
  }

  /** A request without an answer may be carried out after later ones, so it is the last one about its status. */
  private async change(plan: Planned, command: string, input: object): Promise<Known> {
    const reply = await this.requests.ask('account', this.account, command, input);
    if (reply === 'unknown') plan.isOpen = false;
    if (reply === 'unknown') return 'unknown';
    if (!isProblem(reply)) return 'yes';
    if (reply.problem === 'not_found') plan.isOpen = false;
    return 'no';
  }
}

const postOf = (text: string): AccountPost => ({
  text,
  html: `<p>${text}</p>`,
  spoilerText: '',
  visibility: 'public',
  sensitive: false,
  mentions: [],
  tags: [],
});

/** Returns the last due time of all statuses that were scheduled. */
export const lastDueMs = ({ plans }: Pick<Ledger, 'plans'>): number => Math.max(...plans.flatMap(({ dueMs }) => dueMs));
