import { POLL_MS_MIN } from '../../actors/domain/poll-rules.js';
import { isProblem } from '../../actors/domain/problem.js';
import type { AccountPost, AccountPostedReply } from '../../proto/gen/types.js';
import type { Ledger } from './ledger.js';
import type { Requests } from './requests.js';
import type { SeededRandom, World } from './world.js';

/** Between two requests of one owner. */
const THINK_MS: readonly [number, number] = [100, 900];
const OPTIONS = ['yes', 'no', 'perhaps'];
/** Longer than any life, so that every vote is in time. */
const POLL_MS = 4 * POLL_MS_MIN;
/** Polls that one account asks. */
const POLLS_MAX = 2;
/** The latest statuses among which an owner chooses one to pin. */
const PINNABLE = 4;

/** One person with a second app: asks and answers polls, pins statuses, signs in and out. */
export class Owner {
  private number = 0;
  /** Pins of which a request was given up: it may still come behind a later one. */
  private readonly inDoubt = new Set<string>();

  constructor(
    readonly account: string,
    private readonly requests: Requests,
    private readonly world: World,
    private readonly random: SeededRandom,
    private readonly ledger: Ledger,
  ) {}

  async live(untilMs: number): Promise<void> {
    while (this.world.now < untilMs) {
      await this.act(untilMs);
      await this.world.sleep(this.random.between(...THINK_MS));
    }
  }

  private act(untilMs: number): Promise<void> {
    const dice = this.random.fraction();
    if (dice < 0.1) return this.askPoll(untilMs);
    if (dice < 0.45) return this.vote();
    if (dice < 0.7) return this.pin();
    return this.random.chance(0.5) ? this.issueToken() : this.revokeToken();
  }

  private async askPoll(untilMs: number): Promise<void> {
    const { polls } = this.ledger;
    if (polls.filter(({ author }) => author === this.account).length >= POLLS_MAX) return;
    const text = `question ${this.number++}`;
    const input: AccountPost = {
      text,
      html: `<p>${text}</p>`,
      spoilerText: '',
      visibility: 'public',
      sensitive: false,
      mentions: [],
      tags: [],
      poll: { options: OPTIONS, expiresInMs: POLL_MS, multiple: false, hideTotals: false },
    };
    do {
      const reply = await this.requests.ask('account', this.account, 'post', input, `key ${text}`);
      if (reply === 'unknown' || isProblem(reply)) continue;
      const { id, conversationId } = reply as AccountPostedReply;
      polls.push({ author: this.account, id, conversation: conversationId });
      return;
    } while (this.world.now < untilMs);
  }

  /** Votes for the same option each time: all but the first are refused. */
  private async vote(): Promise<void> {
    const others = this.ledger.polls.filter(({ author }) => author !== this.account);
    if (others.length === 0) return;
    const { id, conversation } = this.random.pick(others);
    const pair = `${this.account}|${id}`;
    const { choice } = this.ledger.votes.get(pair) ?? { choice: this.random.between(0, OPTIONS.length - 1) };
    const isSure = this.ledger.votes.get(pair)?.known === 'yes';
    if (!isSure) this.ledger.votes.set(pair, { choice, known: 'unknown' });
    const input = { statusId: id, by: this.account, choices: [choice] };
    const reply = await this.requests.ask('conversation', conversation, 'vote', input);
    if (reply !== 'unknown' && !isProblem(reply)) this.ledger.votes.set(pair, { choice, known: 'yes' });
  }

  private async pin(): Promise<void> {
    const own = this.ledger.posts.filter(({ author }) => author === this.account).slice(-PINNABLE);
    if (own.length === 0) return;
    const { pins } = this.ledger;
    const pair = `${this.account}|${this.random.pick(own).id}`;
    if (this.inDoubt.has(pair)) return;
    const wanted = pins.get(pair) === 'yes' && this.random.chance(0.5) ? 'no' : 'yes';
    pins.set(pair, 'unknown');
    const statusId = pair.slice(this.account.length + 1);
    const reply = await this.requests.ask('account', this.account, wanted === 'yes' ? 'pin' : 'unpin', { statusId });
    if (reply === 'unknown') this.inDoubt.add(pair);
    else if (!isProblem(reply)) pins.set(pair, wanted);
  }

  private async issueToken(): Promise<void> {
    const tokenHash = `token ${this.account} ${this.number++}`;
    this.ledger.tokens.set(tokenHash, { account: this.account, known: 'unknown' });
    const token = { tokenHash, clientId: 'app', scopes: ['read'], kind: 'access' };
    const reply = await this.requests.ask('account', this.account, 'issueToken', token);
    // One that was given up may still come: its holder does not know whether it has a token.
    if (reply !== 'unknown' && !isProblem(reply))
      this.ledger.tokens.set(tokenHash, { account: this.account, known: 'yes' });
  }

  /** Only tokens that were acknowledged are revoked: a request without an answer may come behind the revocation. */
  private async revokeToken(): Promise<void> {
    const { tokens } = this.ledger;
    const own = [...tokens].flatMap(([hash, { account, known }]) =>
      account === this.account && known === 'yes' ? [hash] : [],
    );
    if (own.length === 0) return;
    const tokenHash = this.random.pick(own);
    tokens.set(tokenHash, { account: this.account, known: 'unknown' });
    const reply = await this.requests.ask('account', this.account, 'revokeToken', { tokenHash });
    if (reply !== 'unknown' && !isProblem(reply)) tokens.set(tokenHash, { account: this.account, known: 'no' });
  }
}
