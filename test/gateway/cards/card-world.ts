import assert from 'node:assert/strict';
import { accountKind } from '../../../actors/account/account.js';
import { conversationKind } from '../../../actors/conversation/conversation.js';
import { idShard, makeId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { Registrar } from '../../../actors/registry.js';
import { type AnyKind, actorName, askerOf, type Reaction } from '../../../actors/runtime/kind.js';
import { Runtime } from '../../../actors/runtime/runtime.js';
import { fanOut, makeHomeRings, makePublicRing } from '../../../compose/home-rings.js';
import { JsonPieces } from '../../../gateway/cards/json-pieces.js';
import { StatusPages } from '../../../gateway/cards/status-pages.js';
import { ViewerMarks } from '../../../gateway/cards/viewer-marks.js';
import { validators } from '../../../gateway/http/validate.js';
import { Lenses } from '../../../gateway/lenses.js';
import { allRoutes } from '../../../gateway/routes/index.js';
import type { Services } from '../../../gateway/services.js';
import { CachedTables } from '../../../store/cached-tables.js';
import { Journal } from '../../../store/journal.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import { put, type Tables } from '../../../store/port.js';
import { backlog, journal } from '../../../store/tables.js';
import { InProcessHub } from '../../../transport/in-process-bus.js';
import { STAGE_SHARDS, StagePlacement } from '../../kit/stage.js';
import { VirtualClock } from '../../kit/virtual-clock.js';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const baseUrl = 'https://here.example';
/** More than one history has. */
const ENTRIES_MAX = 1_000;

const validator = validators();
const schema = (given: Parameters<typeof validator>[0] | undefined) =>
  given === undefined ? undefined : validator(given);
const routes = new Map(
  allRoutes.map((route) => [
    `${route.method} ${route.path}`,
    { route, query: schema(route.query), body: schema(route.body) },
  ]),
);

export interface Called {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly body?: object;
}

/** Actors and gateway of one node in memory, called by its routes. */
export class CardWorld {
  readonly clock: VirtualClock;
  readonly store = new MemoryTables();
  readonly people: string[] = [];
  readonly #tables: CachedTables;
  readonly #placement = new StagePlacement();
  readonly #hub: InProcessHub;
  readonly #rings: ReturnType<typeof makeHomeRings>;
  readonly runtime: Runtime;
  readonly services: Services;

  private constructor(clock: VirtualClock, isReplay: boolean) {
    this.clock = clock;
    this.#hub = new InProcessHub(clock);
    this.#tables = new CachedTables(this.store);
    this.#rings = makeHomeRings({ tables: this.#tables, clock, placement: this.#placement, shared: false, log });
    const mailer = { send: async () => {} };
    const account = accountKind({ mailer, baseUrl, tables: this.#tables, rings: this.#rings });
    const conversation = conversationKind();
    this.runtime = new Runtime({
      kinds: isReplay ? [alone(account), alone(conversation)] : [account, conversation],
      tables: this.#tables,
      journal: new Journal(this.#tables),
      bus: this.#hub.bus('actors'),
      placement: this.#placement,
      clock,
      random: { bytes: (count) => new Uint8Array(count), fraction: () => 0.5 },
      logger: log,
    });
    const askAccount = askerOf(account, this.runtime);
    const askConversation = askerOf(conversation, this.runtime);
    this.services = this.#gateway(this.#tables, { askAccount, askConversation });
    clock.alsoIdle(() => this.runtime.idle());
  }

  static async open(people: number): Promise<CardWorld> {
    const world = await new CardWorld(new VirtualClock(), false).#begin();
    for (let n = 0; n < people; n++) {
      const id = makeId(world.clock.nowMs(), n % STAGE_SHARDS.length, n);
      world.people.push(id);
      const names = { username: `person${n}`, email: `person${n}@example.org`, passwordHash: 'hash', role: 'user' };
      await world.services.registry.claim([`acct:person${n}`], id);
      await world.settled(
        world.services.askAccount(id, 'register', { ...names, confirmed: true, approved: true, locale: 'en' }),
      );
    }
    return world;
  }

  /** Another world, on a store that has nothing but this one's journals. Nobody tells anybody anything there. */
  async replayed(conversations: readonly string[]): Promise<CardWorld> {
    const world = new CardWorld(this.clock, true);
    world.people.push(...this.people);
    const actors = [
      ...this.people.map((id) => ({ kind: 'account', id })),
      ...conversations.map((id) => ({ kind: 'conversation', id })),
    ];
    for (const { kind, id } of actors) {
      const actor = actorName({ kind, id });
      const rows = await this.store.range(journal, { actor, bucket: 0 }, { limit: ENTRIES_MAX });
      assert.ok(rows.length > 0 && rows.length < ENTRIES_MAX, actor);
      await world.store.write(rows.map(({ key, value }) => put(journal, key, value)));
      await world.store.write([put(backlog, { shard: idShard(id), actor: `${actor}@1.1` }, { atMs: 0 })]);
    }
    await world.#begin();
    return world;
  }

  /** The same actors and store, with nothing that a gateway keeps in memory. */
  cold(): Services {
    const { askAccount, askConversation } = this.services;
    return this.#gateway(this.store, { askAccount, askConversation });
  }

  /** What the route answers, as JSON; undefined when it refuses. `services`: the world's own unless given. */
  async call(name: string, viewer: string | undefined, called: Called = {}, services = this.services) {
    const found = routes.get(name);
    assert.ok(found, name);
    const valid = (check: typeof found.query, value: object = {}) => {
      const checked = check?.(value) ?? { value };
      assert.ok(!isProblem(checked), JSON.stringify(checked));
      return checked.value;
    };
    const request = { services, viewer, params: called.params ?? {}, headers: {}, url: name.split(' ')[1] ?? '' };
    const more = { query: valid(found.query, called.query), body: valid(found.body, called.body) };
    const answer = await found.route.handle({ ...request, ...more, bearer: undefined, remoteAddress: '', id: '' });
    if (isProblem(answer)) return undefined;
    return JSON.parse(typeof answer.body === 'object' && answer.body !== null ? textOf(answer.body) : 'null');
  }

  /** The answer, and all that it set off has come to rest. */
  async settled<T>(answer: Promise<T>): Promise<T> {
    await this.clock.settle();
    const value = await answer;
    await this.clock.advance(1);
    return value;
  }

  close(): void {
    this.runtime.close();
  }

  async #begin(): Promise<this> {
    await fanOut(this.#rings, this.services.publicRing as ReturnType<typeof makePublicRing>, this.#hub.bus('gateway'));
    await this.runtime.acquire(STAGE_SHARDS);
    await this.clock.settle();
    return this;
  }

  #gateway(tables: Tables, asks: Pick<Services, 'askAccount' | 'askConversation'>): Services {
    const instance = { baseUrl, domain: 'here.example' } as Services['instance'];
    const cached = tables instanceof CachedTables ? tables : new CachedTables(tables);
    return {
      ...asks,
      instance,
      lenses: new Lenses(asks.askAccount, this.clock),
      publicRing: makePublicRing(tables, log),
      pages: new StatusPages(instance, new ViewerMarks(cached)),
      tables,
      registry: new Registrar(tables, this.clock),
      clock: this.clock,
      random: { bytes: (count) => new Uint8Array(count), fraction: () => 0.5 },
      newAccountId: () => assert.fail('nobody signs up'),
    };
  }
}

const textOf = (body: object) => (body instanceof JsonPieces ? body.toString() : JSON.stringify(body));

/** What an actor's own entries say, without what it told others: their journals have what came of it. */
function alone(kind: AnyKind): AnyKind {
  const tell = async () => ({});
  const reactions = kind.reactions.map((reaction: Reaction<object, Record<string, object>>) => ({
    ...reaction,
    on: Object.fromEntries(
      Object.entries(reaction.on).map(([type, react]) => [
        type,
        ((event, happened, effects) =>
          react?.(event, happened, {
            tell,
            write: (rows) => effects.write(rows),
            publish: (subject, payload) => effects.publish(subject, payload),
          })) as typeof react,
      ]),
    ),
  }));
  return { ...kind, reactions };
}
