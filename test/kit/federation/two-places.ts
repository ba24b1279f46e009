import { operatorClient } from '../../../cli/operator-socket.js';
import { call, makePeople, type Person } from '../../scenarios/cluster/people.js';
import { RecordingFront } from '../network/recording-front.js';
import { SecureFront } from '../network/secure-front.js';
import { ClusterNodes } from '../services/cluster-nodes.js';
import { ServerProcess } from '../services/server-process.js';
import { until } from '../time/until.js';
import { TrustedLoopback } from './trusted-loopback.js';

/** Tests see an effect on the other server within this time. */
const SEEN_MS_MAX = 30_000;

// biome-ignore lint/suspicious/noExplicitAny: tests read into answers of every shape.
export type Answer = any;

/** Makes an administrator, who may call the API for administrators. */
export async function makeStaff(dataDir: string): Promise<Person> {
  const identity = { email: 'boss@example.org', password: 'correct horse battery' };
  const account = { username: 'boss', ...identity, role: 'admin', confirmed: true };
  const scopes = 'admin:read admin:write';
  const { id, token = '' } = await operatorClient(dataDir)('account.create', { ...account, token: { scopes } });
  return { id, name: 'boss', ...identity, token };
}

/** A server at a place: one process, or the nodes of a cluster. */
interface Installed {
  /** Address of clients, without TLS. */
  readonly url: string;
  readonly dataDir: string;
  dispose(): Promise<void>;
}

type Variables = Readonly<Record<string, string>>;
type Start<Server> = (settings: Variables, environment: Variables) => Promise<Server>;

/** Number of nodes of a cluster: one is killed, and one remains. */
const NODES = 2;
const oneProcess = (settings: Variables, environment: Variables) => ServerProcess.start(settings, environment);
const nodes = (settings: Variables, environment: Variables) =>
  ClusterNodes.start({ RATE_LIMITS: 'off', LOG_LEVEL: 'debug', ...settings }, { count: NODES, environment });

const plain = ({ certificate }: TrustedLoopback) => new SecureFront(certificate);

/** One server of ours with one person. Other servers reach it over TLS. */
export class Place<Server extends Installed = ServerProcess, Front extends SecureFront = SecureFront> {
  private constructor(
    readonly server: Server,
    readonly person: Person,
    readonly front: Front,
    readonly loopback: TrustedLoopback,
  ) {}

  /** Opens two servers, each with a person of that name. Both trust one authority, and so does `fetch` of this test. */
  static pair(one: string, two: string): Promise<[Place, Place]> {
    return Place.#pair([one, two], oneProcess, plain);
  }

  /** As `pair`, behind fronts that record what the servers send to each other. */
  static recorded(one: string, two: string): Promise<[RecordedPlace, RecordedPlace]> {
    return Place.#pair([one, two], oneProcess, ({ certificate }) => new RecordingFront(certificate));
  }

  /** Opens two clusters of two nodes each, as `pair` opens two servers. */
  static clusters(one: string, two: string): Promise<[Place<ClusterNodes>, Place<ClusterNodes>]> {
    return Place.#pair([one, two], nodes, plain);
  }

  static async #pair<Server extends Installed, Front extends SecureFront>(
    names: readonly [string, string],
    start: Start<Server>,
    frontOf: (loopback: TrustedLoopback) => Front,
  ): Promise<[Place<Server, Front>, Place<Server, Front>]> {
    const loopback = await TrustedLoopback.open();
    const open = (name: string) => Place.#open(name, loopback, start, frontOf(loopback));
    return Promise.all([open(names[0]), open(names[1])]);
  }

  static async #open<Server extends Installed, Front extends SecureFront>(
    name: string,
    loopback: TrustedLoopback,
    start: Start<Server>,
    behind: Front,
  ): Promise<Place<Server, Front>> {
    const [front, server] = await loopback.behind(behind, (settings) => start(settings, loopback.environment));
    const [person] = (await makePeople(server.dataDir, [name])) as [Person];
    return new Place(server, person, front, loopback);
  }

  /** Ends the server. The other one of the pair must not start again, since the authority's files are removed, too. */
  async dispose(): Promise<void> {
    await this.front.close();
    await this.server.dispose();
    await this.loopback.close();
  }

  staff(): Promise<Person> {
    return makeStaff(this.server.dataDir);
  }

  /** Address for other servers. Clients of a test use `server.url`, which leads to the same server without TLS. */
  get url(): string {
    return this.front.url;
  }
  get host(): string {
    return new URL(this.url).host;
  }

  /** Calls the API as the person. `path`: behind `/api/v1/`, or `/api/v2/` if `version` says so. */
  ask(method: string, path: string, body?: object, version = 'v1'): Promise<Answer> {
    return call(this.server.url, this.person, method, `/api/${version}/${path}`, body);
  }

  /** Finds accounts and statuses by name or address, also those of other servers. */
  async find(what: string): Promise<{ accounts: Answer[]; statuses: Answer[] }> {
    return this.ask('GET', `search?q=${encodeURIComponent(what)}&resolve=true`, undefined, 'v2');
  }
}

/** A server of ours whose front records what it gets. */
export type RecordedPlace = Place<ServerProcess, RecordingFront>;

/** Waits until the condition is true, or has a value, and returns it. */
export const seen = <T>(what: string, condition: () => Promise<T | false | undefined>, ms = SEEN_MS_MAX): Promise<T> =>
  until(what, async () => (await condition()) || undefined, ms) as Promise<T>;

/** Makes the first person follow the second, and waits until both servers know it. Returns the second's id here. */
export async function follow(one: Place<Installed>, two: Place<Installed>): Promise<string> {
  const { accounts } = await one.find(`@${two.person.name}@${two.host}`);
  const { id } = accounts[0];
  await one.ask('POST', `accounts/${id}/follow`);
  await seen(`${one.person.name} as a follower`, async () => {
    const followers = await two.ask('GET', `accounts/${two.person.id}/followers`);
    return followers.some(({ acct }: Answer) => acct === `${one.person.name}@${one.host}`);
  });
  return id;
}
