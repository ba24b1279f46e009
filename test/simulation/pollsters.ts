import { POLL_MS_MIN } from '../../actors/domain/poll-rules.js';
import { isProblem } from '../../actors/domain/problem.js';
import type { AccountPost, AccountPostedReply } from '../../proto/gen/types.js';
import type { SimulatedNode } from './node.js';
import type { SeededRandom, World } from './world.js';

/** A poll whose author received an answer. */
export interface AskedPoll {
  readonly author: string;
  readonly id: string;
  readonly conversation: string;
}

/** Number of polls created before the story. */
const POLLS = 6;
/** Duration of polls: some end while nodes come and go, some after the last fault. */
const LASTS_MS: readonly [number, number] = [POLL_MS_MIN, POLL_MS_MIN + 20_000];
/** Pause between two votes. */
const PAUSE_MS: readonly [number, number] = [500, 2_000];
/** Timeout of a request. */
const PATIENCE_MS = 3_000;

/** Accounts that create polls, which alarms end, and vote in them. */
export class Pollsters {
  readonly asked: AskedPoll[] = [];

  constructor(
    private readonly accounts: readonly string[],
    private readonly world: World,
    private readonly nodes: () => readonly SimulatedNode[],
    private readonly random: SeededRandom,
  ) {}

  /** Creates all polls before the first fault. The first of them ends POLL_MS_MIN later. */
  async begin(): Promise<void> {
    await Promise.all(Array.from({ length: POLLS }, (_, number) => this.post(number)));
  }

  /** Votes until world time `untilMs`. */
  async live(untilMs: number): Promise<void> {
    while (this.world.now < untilMs) {
      await this.world.sleep(this.random.between(...PAUSE_MS));
      const { id, conversation } = this.random.pick(this.asked);
      const vote = { statusId: id, by: this.random.pick(this.accounts), choices: [0] };
      void this.ask('conversation', conversation, 'vote', vote);
    }
  }

  private async post(number: number): Promise<void> {
    const author = this.random.pick(this.accounts);
    const expiresInMs = this.random.between(...LASTS_MS);
    const text = `poll ${number}`;
    const input: AccountPost = {
      text,
      html: `<p>${text}</p>`,
      spoilerText: '',
      visibility: 'public',
      sensitive: false,
      mentions: [],
      tags: [],
      poll: { options: ['yes', 'no'], expiresInMs, multiple: false, hideTotals: false },
    };
    for (;;) {
      const reply = (await this.ask('account', author, 'post', input, `key ${text}`)) as AccountPostedReply | undefined;
      if (reply === undefined || isProblem(reply)) continue;
      this.asked.push({ author, id: reply.id, conversation: reply.conversationId });
      return;
    }
  }

  /** Sends a request; returns undefined without an answer in time. */
  private ask(kind: string, id: string, command: string, input: object, once?: string): Promise<unknown> {
    return new Promise((resolve) => {
      const timer = this.world.at(PATIENCE_MS, undefined, () => resolve(undefined));
      const answer = (reply: unknown) => {
        timer.cancel();
        this.world.at(1, undefined, () => resolve(reply));
      };
      const { process, runtime } = this.random.pick(this.nodes());
      this.world.at(1, process, () => {
        runtime.ask(kind, id, command, input, once).then(answer, () => answer(undefined));
      });
    });
  }
}
