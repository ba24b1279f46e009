import { eraOfId, idMs, makeId } from '../../../actors/domain/ids.js';
import { HomeRings } from '../../../actors/timelines/home-rings.js';
import { PublicRing } from '../../../actors/timelines/public-ring.js';
import type { HomeBounds } from '../../../actors/timelines/ring-part.js';
import type { Services } from '../../../gateway/http/services.js';
import { recentIds, recentPublicIds } from '../../../gateway/timelines/recent.js';
import { NOBODY_LIMITED } from '../../../gateway/viewing/account-limits.js';
import { Lenses } from '../../../gateway/viewing/lenses.js';
import type { AccountSourceList, StoreAccountRecord, StoreStatusRecord } from '../../../proto/gen/types.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import { put } from '../../../store/port.js';
import { accountStatuses, accounts, publicBuckets, publicStatuses, statuses } from '../../../store/tables.js';

const START_MS = 1_700_000_000_000;
const ERA_MS = 2 ** 34;
/** Some three eras, so that readers cross their borders. */
const LENGTH_MS = 2.5 * ERA_MS;
const BUCKET_MS = 2 ** 22;
const PEOPLE = 8;
/** Statuses before one that it may reblog, if there are to be repeats. */
const REPEATED_AMONG = 30;

/** Random numbers determined by a seed. */
export class Dice {
  constructor(private state: number) {}
  below(limit: number): number {
    this.state = (Math.imul(this.state ^ (this.state >>> 15), 0x2c1b3c6d) + 0x297a2d39) | 0;
    const mixed = Math.imul(this.state ^ (this.state >>> 12), 0x5bd1e995);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % limit;
  }
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }
}

/** A small instance in memory, with a viewer who follows some accounts and has blocks in both directions. */
export class TimelineWorld {
  readonly tables = new MemoryTables();
  readonly people = Array.from({ length: PEOPLE }, (_, n) => makeId(START_MS - 5_000 + n, n, 0));
  readonly viewer = this.people[0] ?? '';
  readonly following = new Map<string, { readonly reblogs: boolean; readonly pending: boolean }>();
  readonly blocked = new Set<string>();
  readonly muted = new Set<string>();
  lists: AccountSourceList[] = [];
  readonly records = new Map<string, StoreStatusRecord>();
  readonly #dice: Dice;

  constructor(seed: number) {
    this.#dice = new Dice(seed);
    for (const person of this.people.slice(1)) {
      if (this.#dice.chance(20)) this.blocked.add(person);
      else if (this.#dice.chance(60))
        this.following.set(person, { reblogs: this.#dice.chance(70), pending: this.#dice.chance(15) });
      if (this.#dice.chance(15)) this.muted.add(person);
    }
    this.lists = ['none', 'list', 'followed'].map((repliesPolicy, n) => ({
      id: String(n + 1),
      members: [this.viewer, ...this.following.keys()].filter(() => this.#dice.chance(50)),
      repliesPolicy,
      exclusive: this.#dice.chance(25),
    }));
  }

  readonly #clock = {
    nowMs: () => START_MS + LENGTH_MS,
    wallMs: () => START_MS + LENGTH_MS,
    monotonicMs: () => 0,
    after: () => ({ cancel: () => {} }),
  };
  readonly rings = new HomeRings({
    clock: this.#clock,
    recent: recentIds(this.tables, this.#clock),
    epochOf: () => 1,
    log: { warn: () => {} },
  });
  readonly publicRing = new PublicRing({ recent: recentPublicIds(this.tables), log: { warn: () => {} } });
  readonly #ask = async (_id: string, command: string, input: HomeBounds & { targets?: readonly string[] }) => {
    if (command === 'relations') return { relations: (input.targets ?? []).map((target) => this.#relation(target)) };
    const sources = {
      following: [...this.following].map(([target, edge]) => ({
        target,
        edgeId: '1',
        notify: false,
        atMs: 0,
        ...edge,
      })),
      blocked: [...this.blocked],
      blockedBy: [...this.blocked],
      muted: [...this.muted].map((account) => ({ account, untilMs: 0, notifications: true })),
      lists: this.lists,
      tags: [],
      mutedConversations: [],
    };
    return command === 'sources' ? sources : { version: 1, sources, ...this.rings.read(this.viewer, input, 1) };
  };
  readonly services = {
    tables: this.tables,
    clock: this.#clock,
    askAccount: this.#ask,
    accountNow: () => undefined,
    publicRing: this.publicRing,
    lenses: new Lenses(this.#ask as never, this.#clock),
    limits: NOBODY_LIMITED,
  } as unknown as Services;

  /** From now on the viewer's home timeline is in a ring, with that many of its newest ids. */
  async openRing(count: number): Promise<void> {
    const authors = [this.viewer, ...this.people.filter((id) => id !== this.viewer && this.hears(id))];
    const { ids, complete } = await recentIds(this.tables, this.#clock)(authors, count);
    this.rings.open(this.viewer, authors, ids, complete);
  }

  /**
   * Writes that many statuses; most in bursts, so that some share a bucket. `repeats` also reblogs statuses of the home
   * timeline, some more than once; otherwise nothing appears twice.
   */
  async fill(count: number, repeats = false): Promise<void> {
    for (const id of this.people) await this.tables.write([put(accounts, { account: id }, person(id))]);
    const moments = Array.from({ length: 1 + Math.ceil(count / 4) }, () => this.#dice.below(LENGTH_MS / 1_000) * 1_000);
    const reblogged = new Set<string>();
    for (let n = 0; n < count; n++) {
      const ms = START_MS + (moments[this.#dice.below(moments.length)] ?? 0) + this.#dice.below(600_000);
      const author = this.#one(this.people);
      const id = makeId(Math.min(ms, START_MS + LENGTH_MS - 1), this.people.indexOf(author), n % 64);
      if (this.records.has(id)) continue;
      const record = this.#status(id, author, repeats ? undefined : reblogged);
      this.records.set(id, record);
      await this.store(record);
    }
  }

  /** Newest first. */
  idsWhere(shows: (record: StoreStatusRecord) => boolean): string[] {
    return [...this.records.values()]
      .flatMap((record) => (shows(record) ? [record.id] : []))
      .sort()
      .reverse();
  }

  /** The visibility rules, implemented a second time. */
  visible(record: StoreStatusRecord): boolean {
    if (record.deleted) return false;
    if (record.reblogOfAccountId !== undefined && this.blocked.has(record.reblogOfAccountId)) return false;
    if (record.accountId === this.viewer) return true;
    if (this.blocked.has(record.accountId)) return false;
    const isMentioned = record.mentions.some((mention) => mention.accountId === this.viewer);
    if (record.visibility === 'direct') return isMentioned;
    return record.visibility !== 'private' || isMentioned || this.hears(record.accountId);
  }

  hears(account: string): boolean {
    return account === this.viewer || this.following.get(account)?.pending === false;
  }

  /** Returns true if no mute hides the status from timelines. */
  unmuted({ accountId, reblogOfAccountId = '' }: StoreStatusRecord): boolean {
    return !this.muted.has(accountId) && !this.muted.has(reblogOfAccountId);
  }

  /** The rules of the home timeline, implemented a second time. */
  inHome(record: StoreStatusRecord): boolean {
    const author = record.accountId;
    if (!this.#comes(record)) return false;
    if (author === this.viewer) return true;
    if (this.lists.some(({ exclusive, members }) => exclusive && members.includes(author))) return false;
    const answered = record.inReplyToAccountId;
    return answered === undefined || answered === author || this.hears(answered);
  }

  /**
   * Returns the ids of the home timeline, newest first, without reblogs of statuses within that many rows below them.
   */
  homeWithoutRepeats(rows: number): string[] {
    const all = [...this.records.values()].filter(({ accountId }) => this.hears(accountId));
    all.sort((a, b) => (a.id < b.id ? 1 : -1));
    const isRepeat = (record: StoreStatusRecord, at: number) =>
      record.reblogOfId !== undefined &&
      all.slice(at + 1, at + 1 + rows).some((other) => {
        return (other.reblogOfId ?? other.id) === record.reblogOfId && this.inHome(other);
      });
    return all.flatMap((record, at) => (this.inHome(record) && !isRepeat(record, at) ? [record.id] : []));
  }

  /** The rules of lists, implemented a second time. */
  inList(list: AccountSourceList, record: StoreStatusRecord): boolean {
    const { accountId: author, inReplyToAccountId: answered, visibility } = record;
    if (!list.members.includes(author) || visibility === 'direct' || !this.#comes(record)) return false;
    if (answered === undefined || answered === author || answered === this.viewer) return true;
    if (list.repliesPolicy === 'followed') return this.hears(answered);
    return list.repliesPolicy === 'list' && this.hears(answered) && list.members.includes(answered);
  }

  #comes(record: StoreStatusRecord): boolean {
    const author = record.accountId;
    if (!this.hears(author) || !this.visible(record) || !this.unmuted(record)) return false;
    if (author === this.viewer) return true;
    const isHidden = (id: string) => this.blocked.has(id) || this.muted.has(id);
    if (record.mentions.some((mention) => isHidden(mention.accountId))) return false;
    return record.reblogOfId === undefined || this.following.get(author)?.reblogs === true;
  }

  static isPublic(record: StoreStatusRecord): boolean {
    const { visibility, reblogOfId, inReplyToId, inReplyToAccountId, accountId } = record;
    return (
      visibility === 'public' &&
      reblogOfId === undefined &&
      (inReplyToId === undefined || inReplyToAccountId === accountId)
    );
  }

  #relation(target: string) {
    const edge = this.following.get(target);
    const blocked = this.blocked.has(target);
    return {
      target,
      following: edge?.pending === false,
      requested: edge?.pending === true,
      reblogs: edge?.reblogs ?? false,
      notify: false,
      blocking: blocked,
      blockedBy: blocked,
      requestedBy: false,
      muting: this.muted.has(target),
      mutingNotifications: false,
      mutingUntilMs: 0,
    };
  }

  /** `reblogged` limits reblogs to one for each original, whose author the viewer does not follow. */
  #status(id: string, author: string, reblogged: Set<string> | undefined): StoreStatusRecord {
    const earlier = reblogged === undefined ? this.#justBefore(id) : this.#one([...this.records.values()]);
    const isReblog =
      earlier?.visibility === 'public' &&
      earlier.reblogOfId === undefined &&
      !earlier.deleted &&
      (reblogged === undefined || !this.hears(earlier.accountId)) &&
      earlier.id < id &&
      reblogged?.has(earlier.id) !== true &&
      this.#dice.chance(40);
    if (isReblog) reblogged?.add(earlier.id);
    const isReply = !isReblog && earlier !== undefined && this.#dice.chance(40);
    const mentioned = this.#dice.chance(30) ? [this.#one(this.people)] : [];
    return {
      id,
      accountId: author,
      conversationId: id,
      inReplyToId: isReply ? earlier.id : undefined,
      inReplyToAccountId: isReply ? earlier.accountId : undefined,
      reblogOfId: isReblog ? earlier.id : undefined,
      reblogOfAccountId: isReblog ? earlier.accountId : undefined,
      text: 'x',
      html: '<p>x</p>',
      spoilerText: '',
      visibility: isReblog ? 'public' : this.#one(['public', 'public', 'unlisted', 'private', 'direct']),
      sensitive: false,
      mentions: mentioned.map((accountId) => ({ accountId, username: 'x', acct: 'x', url: 'x' })),
      tags: [],
      createdAtMs: idMs(id),
      editedAtMs: 0,
      deleted: !isReblog && this.#dice.chance(5),
      favourites: 0,
      reblogs: 0,
      replies: 0,
    };
  }

  /** Returns a recent status, or its original. */
  #justBefore(id: string): StoreStatusRecord | undefined {
    const earlier = [...this.records.values()].filter((record) => record.id < id);
    const one = this.#one(earlier.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, REPEATED_AMONG));
    return this.records.get(one?.reblogOfId ?? '') ?? one;
  }

  /** Writes a status' rows as its conversation does. */
  async store(record: StoreStatusRecord): Promise<void> {
    const { id, accountId: account } = record;
    const mentionIds = record.mentions.map((mention) => mention.accountId);
    const writes = [
      put(statuses, { status: id }, record),
      put(accountStatuses, { account, era: eraOfId(id), status: id }, { ...record, mentionIds }),
    ];
    if (TimelineWorld.isPublic(record)) {
      const bucket = Math.floor(idMs(id) / BUCKET_MS);
      const lane = Number(BigInt(id) % 8n);
      writes.push(put(publicStatuses, { bucket, lane, status: id }, { accountId: account }));
      writes.push(put(publicBuckets, { century: 0, bucket }, { atMs: 0 }));
    }
    await this.tables.write(writes);
  }

  #one<T>(items: readonly T[]): T {
    return items[this.#dice.below(Math.max(1, items.length))] as T;
  }
}

function person(id: string): StoreAccountRecord {
  return {
    id,
    username: `user${id}`,
    domain: '',
    createdAtMs: 0,
    followers: 0,
    following: 0,
    statuses: 0,
    lastStatusAtMs: 0,
    role: 'user',
    confirmed: true,
    approved: true,
    disabled: false,
    email: '',
    locale: 'en',
    followRequests: 0,
    pinnedIds: [],
  };
}
