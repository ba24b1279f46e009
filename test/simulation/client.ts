import { isProblem } from '../../actors/domain/problem.js';
import type { AccountList, AccountPost, AccountPostedReply } from '../../proto/gen/types.js';
import type { Known, Ledger, Posted } from './ledger.js';
import type { SimulatedNode } from './node.js';
import type { Habits, Requests } from './requests.js';
import type { SeededRandom, World } from './world.js';

/** Pause between two requests of one client. */
const THINK_MS: readonly [number, number] = [20, 400];
/** A pause longer than an idle account stays in memory. */
const IDLE_MS: readonly [number, number] = [6_000, 12_000];

/** A user with an app: sends one request after another to any node, and records the answers. */
export class Client {
  private number = 0;
  /** Requests sent without waiting for the answer. */
  private readonly beside: Promise<void>[] = [];

  constructor(
    readonly account: string,
    private readonly everyone: readonly string[],
    private readonly world: World,
    private readonly requests: Requests,
    private readonly random: SeededRandom,
    private readonly ledger: Ledger,
    private readonly habits: Habits,
    /** Returns true if the status's row exists: the gateway does not allow quoting a status that cannot be read yet. */
    private readonly isThere: (status: string) => Promise<boolean>,
  ) {}

  /** Acts until world time `untilMs`; then finishes pending requests. */
  async live(untilMs: number): Promise<void> {
    while (this.world.now < untilMs) {
      await this.act(untilMs);
      const isIdle = this.random.chance(this.habits.idleChance);
      await this.world.sleep(this.random.between(...(isIdle ? IDLE_MS : THINK_MS)));
    }
    await Promise.all(this.beside);
  }

  /** Posts at that node now, without waiting for other requests. */
  pester(node: SimulatedNode): void {
    this.requests.usual = node.name;
    this.beside.push(this.post(undefined, this.world.now, undefined, node));
  }

  private async act(untilMs: number): Promise<void> {
    const dice = this.random.fraction();
    if (dice < 0.05) return this.readHome();
    if (dice < 0.33) return this.post(undefined, untilMs);
    if (dice < 0.37) return this.quote(untilMs);
    if (dice < 0.38) return this.revoke();
    if (dice < 0.4) return this.makeList(untilMs);
    if (dice < 0.5) return this.post(this.someStatus(), untilMs);
    if (dice < 0.65) return this.toggle(this.ledger.follows, this.someoneElse(), 'follow', 'unfollow');
    if (dice < 0.7) return this.toggle(this.ledger.blocks, this.someoneElse(), 'block', 'unblock');
    if (dice < 0.75) return this.toggle(this.ledger.mutes, this.someoneElse(), 'mute', 'unmute');
    if (dice < 0.78) return this.edit();
    if (dice < 0.8) return this.delete();
    if (dice < 0.84) return this.react(this.ledger.bookmarks, 'bookmark', 'unbookmark');
    if (dice < 0.92) return this.react(this.ledger.favourites, 'favourite', 'unfavourite');
    return this.react(this.ledger.reblogs, 'reblog', 'unreblog');
  }

  private async quote(untilMs: number): Promise<void> {
    const quoted = this.someStatus();
    const isThere = quoted !== undefined && (await this.isThere(quoted.id));
    return this.post(undefined, untilMs, isThere ? quoted : undefined);
  }

  /** Retries one post under one key until it is answered or the story is over. */
  private async post(
    parent: Posted | undefined,
    untilMs: number,
    quoted?: Posted,
    pestered?: SimulatedNode,
  ): Promise<void> {
    const number = this.number++;
    const input: AccountPost = {
      text: `post ${number}`,
      html: `<p>post ${number}</p>`,
      spoilerText: '',
      visibility: 'public',
      sensitive: false,
      mentions: this.mentioned(),
      tags: [],
      quotePolicy: 'public',
      quote: quoted && quoteOf(quoted),
      ...(parent === undefined
        ? {}
        : { inReplyToId: parent.id, inReplyToAccountId: parent.author, conversationId: parent.conversation }),
    };
    do {
      const asked = this.requests.ask('account', this.account, 'post', input, `key-${number}`, pestered);
      const reply = (await asked) as AccountPostedReply | 'unknown';
      if (reply === 'unknown' || isProblem(reply)) continue;
      const conversation = reply.conversationId;
      const mentions = input.mentions.map(({ accountId }) => accountId);
      const beside = pestered !== undefined;
      const posted = { author: this.account, number, id: reply.id, conversation, quoted: quoted?.id, mentions, beside };
      this.ledger.posts.push(posted);
      return;
    } while (this.world.now < untilMs);
  }

  /**
   * Retries the creation of one list under one key, at one node after another, until it is answered or the story is
   * over.
   */
  private async makeList(untilMs: number): Promise<void> {
    const title = `list ${this.number++}`;
    const input = { title, repliesPolicy: 'list', exclusive: false };
    do {
      const asked = this.requests.ask('account', this.account, 'createList', input, `key ${title}`);
      const reply = (await asked) as AccountList | 'unknown';
      if (reply === 'unknown' || isProblem(reply)) continue;
      this.ledger.lists.push({ owner: this.account, title, id: reply.id });
      return;
    } while (this.world.now < untilMs);
  }

  /** Revokes a quote of one of its own statuses. */
  private async revoke(): Promise<void> {
    const { posts, revoked } = this.ledger;
    const mine = new Map(posts.flatMap((post) => (post.author === this.account ? [[post.id, post] as const] : [])));
    const quoting = posts.filter(({ quoted = '' }) => mine.has(quoted));
    if (quoting.length === 0) return;
    const { id, quoted = '' } = this.random.pick(quoting);
    revoked.set(id, 'unknown');
    const input = { statusId: quoted, by: this.account, quotingId: id };
    const reply = await this.requests.ask('conversation', mine.get(quoted)?.conversation ?? '', 'revokeQuote', input);
    if (reply !== 'unknown' && !isProblem(reply)) revoked.set(id, 'yes');
  }

  /** Edits one of its own statuses. */
  private async edit(): Promise<void> {
    const post = this.ownStatus();
    if (post === undefined) return;
    const { edits } = this.ledger;
    const text = `post ${post.number} edit ${this.number++}`;
    const before = edits.get(post.id) ?? [`post ${post.number}`];
    edits.set(post.id, [...before, text]);
    const said = { text, html: `<p>${text}</p>`, spoilerText: '', sensitive: false, mentions: [], tags: [] };
    const input = { statusId: post.id, by: this.account, ...said };
    const reply = await this.requests.ask('conversation', post.conversation, 'edit', input);
    // An abandoned edit may still be carried out after this one.
    if (reply !== 'unknown' && !isProblem(reply) && before.length === 1) edits.set(post.id, [text]);
  }

  private async delete(): Promise<void> {
    const post = this.ownStatus();
    if (post === undefined) return;
    const { ledger } = this;
    ledger.posts = ledger.posts.filter(({ id }) => id !== post.id);
    ledger.deleted.set(post.id, 'unknown');
    const reply = await this.requests.ask('conversation', post.conversation, 'remove', {
      statusId: post.id,
      by: this.account,
    });
    if (reply !== 'unknown' && !isProblem(reply)) ledger.deleted.set(post.id, 'yes');
  }

  private ownStatus(): Posted | undefined {
    const own = this.ledger.posts.filter(({ author }) => author === this.account);
    return own.length === 0 ? undefined : this.random.pick(own.slice(-5));
  }

  /** Reads the home, which makes the node cache it; the contents are judged at the end. */
  private async readHome(): Promise<void> {
    await this.requests.ask('account', this.account, 'home', { knownVersion: 0, upwards: false, limit: 20 });
  }

  private async toggle(known: Map<string, Known>, target: string, on: string, off: string): Promise<void> {
    const pair = `${this.account}|${target}`;
    const wanted = known.get(pair) === 'yes' && this.random.chance(0.5) ? 'no' : 'yes';
    const options = { follow: { targetLocked: false }, mute: { notifications: true, durationMs: 0 } };
    const input = { target, ...(on === 'follow' || on === 'mute' ? options[on] : {}) };
    known.set(pair, 'unknown');
    const reply = await this.requests.ask('account', this.account, wanted === 'yes' ? on : off, input);
    if (reply === 'unknown' || isProblem(reply)) return;
    const blocked = this.ledger.blocks.get(`${target}|${this.account}`) ?? 'no';
    // A concurrent block ends the follow, which may have been answered before the block was received.
    if (on === 'follow' && wanted === 'yes' && blocked !== 'no') return;
    known.set(pair, wanted);
    if (on !== 'block' || wanted !== 'yes') return;
    // A block ends follows in both directions, including those of unknown outcome.
    this.ledger.follows.set(pair, 'no');
    this.ledger.follows.set(`${target}|${this.account}`, 'unknown');
  }

  private async react(known: Map<string, Known>, on: string, off: string): Promise<void> {
    const status = this.someStatus();
    if (status === undefined) return;
    const pair = `${this.account}|${status.id}`;
    const wanted = known.get(pair) === 'yes' && this.random.chance(0.5) ? 'no' : 'yes';
    known.set(pair, 'unknown');
    const input = { statusId: status.id, by: this.account };
    const reply = await this.requests.ask('conversation', status.conversation, wanted === 'yes' ? on : off, input);
    if (reply !== 'unknown' && !isProblem(reply)) known.set(pair, wanted);
  }

  private someStatus(): Posted | undefined {
    const { posts } = this.ledger;
    return posts.length === 0 ? undefined : this.random.pick(posts.slice(-20));
  }

  private someoneElse(): string {
    return this.random.pick(this.everyone.filter((id) => id !== this.account));
  }

  private mentioned(): AccountPost['mentions'] {
    if (!this.random.chance(0.2)) return [];
    const accountId = this.someoneElse();
    return [{ accountId, username: accountId, acct: accountId, url: '' }];
  }
}

const quoteOf = ({ id, author, conversation }: Posted) => ({
  statusId: id,
  accountId: author,
  conversationId: conversation,
  state: '',
  follows: false,
});
