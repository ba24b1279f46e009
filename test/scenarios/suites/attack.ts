import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { operatorClient } from '../../../cli/operator-socket.js';
import { HTTP_STATUS } from '../../../gateway/http/problem-answer.js';
import type { AnyRoute } from '../../../gateway/http/route.js';
import { allRoutes } from '../../../gateway/routes/index.js';
import { type RawAnswer, RawClient } from '../../kit/network/raw-request.js';
import { EveryRoute, nameOf } from '../requests/every-route.js';
import type { Fitting } from '../requests/fitting-request.js';
import { rawRequestOf, type Sent } from '../requests/raw-request-of.js';
import { answersOf, appTokenOf, differences, readings, settledAnswers } from '../requests/read-requests.js';
import type { Ground } from '../worlds/node-address.js';
import { ScopedTokens } from '../worlds/scoped-tokens.js';

const AT_A_TIME = 8;
const REFUSALS = new Set(Object.values(HTTP_STATUS).filter((status) => status < 500));
/** Routes whose refusals are pages for people. */
const PAGES = /^\/(?:auth\/|oauth\/authorize|settings\/|moderation\/|cluster\b|web\b)/;
/** Routes with periodic counts of each node, which change with time alone. */
const COUNTED = /\/trends\b|\/nodeinfo\/|\/instance(?:\/activity)?$|^GET \/(?:about|explore|cluster)?$/;

/** A request that must be refused, and the expected statuses; without statuses any refusal will do. */
export interface Case {
  readonly name: string;
  readonly route: AnyRoute;
  readonly sent: (fitting: Fitting) => Sent;
  readonly statuses?: ReadonlySet<number>;
  /**
   * True for cases that go to every node, all of which must give the same answer; others go to one node each, in turn.
   */
  readonly isCore?: boolean;
}

/** Tokens that are insufficient for most routes. */
interface Tokens {
  /** The viewer's, with this scope. */
  readonly push: string;
  readonly app: string;
  readonly unconfirmed: string;
  /** A token of another account, with all scopes. */
  readonly stranger: string;
}

/** Sends requests that must be refused to a server with people and data. */
export class Attack {
  private readonly clients: readonly RawClient[];
  private readonly fittings = new Map<string, Promise<Fitting>>();
  private quiet: Promise<Quiet> | undefined;
  private turn = 0;

  private constructor(
    readonly ground: Ground,
    readonly world: EveryRoute,
    readonly scoped: ScopedTokens,
    readonly tokens: Tokens,
    /** The share of the cases that are sent, besides the core; the same ones in each run. */
    private readonly share: number,
  ) {
    this.clients = ground.nodes.map(({ url }) => new RawClient(url));
  }

  static async prepare(ground: Ground, share: number): Promise<Attack> {
    const { url, dataDir } = ground.place;
    const world = await EveryRoute.prepare(ground.place);
    const operate = operatorClient(dataDir);
    const dora = { username: 'dora', email: 'dora@example.org', password: 'correct horse battery' };
    await operate('account.create', dora);
    const token = async (username: string, scopes: string) =>
      (await operate('token.create', { username, scopes })).token;
    const tokens = {
      push: await token('ada', 'push'),
      stranger: await token('cleo', 'read write follow push'),
      unconfirmed: await token('dora', 'read write follow'),
      app: await appTokenOf(world, url),
    };
    return new Attack(ground, world, new ScopedTokens(dataDir), tokens, share);
  }

  close(): void {
    for (const client of this.clients) client.close();
  }

  /** Sends a request to a node; to each in turn by default. */
  send(route: AnyRoute, sent: Sent, node = this.turn++): Promise<RawAnswer> {
    return this.client(node).send(rawRequestOf(route, sent));
  }

  client(node: number): RawClient {
    return this.clients[node % this.clients.length] as RawClient;
  }

  /**
   * Sends the cases, some at a time; returns those that were not refused as expected, and the changes that they caused.
   */
  async faults(cases: readonly Case[], atATime = AT_A_TIME): Promise<string[]> {
    const before = await this.quietly();
    const found: string[] = [];
    const open = cases.filter((one) => one.isCore === true || drawn(one) < this.share);
    const work = async () => {
      for (let next = open.pop(); next !== undefined; next = open.pop()) found.push(...(await this.faultsOf(next)));
    };
    await Promise.all(Array.from({ length: atATime }, work));
    const node = this.ground.nodes[this.turn % this.ground.nodes.length];
    const now = await answersOf(node?.url ?? '', before.questions);
    return [...found.sort(), ...differences(before.answers, now).map((what) => `something has changed: ${what}`)];
  }

  private async faultsOf({ route, name, sent, statuses, isCore }: Case): Promise<string[]> {
    const whole = { token: this.world.viewer.token, ...sent(await this.fitting(route)) };
    const nodes = isCore === true ? [...this.clients.keys()] : [this.turn++];
    const answers = await Promise.all(nodes.map((node) => this.send(route, whole, node)));
    const faults = answers.map((answer) => faultOf(route, answer, statuses)).filter((fault) => fault !== '');
    const said = new Set(answers.map(({ status, text }) => (PAGES.test(route.path) ? status : `${status} ${text}`)));
    if (said.size > 1) faults.push(`nodes say different things: ${[...said].join(' | ').slice(0, 300)}`);
    return faults.map((fault) => `${nameOf(route)}: ${name} ${fault}`);
  }

  /** Returns the route's fitting request, always the same: refused requests do not change it. */
  private fitting(route: AnyRoute): Promise<Fitting> {
    const name = nameOf(route);
    const known = this.fittings.get(name) ?? this.world.fitting(route);
    this.fittings.set(name, known);
    return known;
  }

  /** Returns the answers of every route before any refusal, with all data in place. */
  private quietly(): Promise<Quiet> {
    this.quiet ??= (async () => {
      for (const route of allRoutes) await this.fitting(route);
      const asked = { viewer: this.world.viewer, fitting: (route: AnyRoute) => this.fitting(route) };
      const all = await readings(asked, this.tokens.app);
      const questions = all.filter(({ name }) => !COUNTED.test(name));
      const answers = await settledAnswers(this.ground.nodes[0]?.url ?? '', questions);
      assert.ok(answers.size > 0);
      return { questions, answers };
    })();
    return this.quiet;
  }
}

interface Quiet {
  readonly questions: Awaited<ReturnType<typeof readings>>;
  readonly answers: ReadonlyMap<string, string>;
}

/** Returns an empty text when the answer is a refusal in the form of the API. */
function faultOf(route: AnyRoute, answer: RawAnswer, statuses: ReadonlySet<number> = REFUSALS): string {
  if (!statuses.has(answer.status)) return `answered ${answer.status} ${answer.text.slice(0, 100)}`;
  if (PAGES.test(route.path)) return '';
  if (!answer.type.startsWith('application/json')) return `refused as ${answer.type}`;
  const { error } = JSON.parse(answer.text) as { error?: unknown };
  return typeof error === 'string' && error !== '' ? '' : `refused without an error: ${answer.text.slice(0, 100)}`;
}

/** Returns a number from 0 to 1 that the case determines. */
function drawn({ route, name }: Case): number {
  return (
    createHash('sha256')
      .update(`${nameOf(route)} ${name}`)
      .digest()
      .readUInt32LE() /
    2 ** 32
  );
}
