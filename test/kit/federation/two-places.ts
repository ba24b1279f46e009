import { operatorClient } from '../../../cli/operator-socket.js';
import { call, makePeople, type Person } from '../../scenarios/cluster/people.js';
import { ServerProcess } from '../services/server-process.js';
import { until } from '../time/until.js';

/** Tests see an effect on the other server within this time. */
const SEEN_MS_MAX = 30_000;

// biome-ignore lint/suspicious/noExplicitAny: tests read into answers of every shape.
export type Answer = any;

/** One server of ours with one person. */
export class Place {
  private constructor(
    readonly server: ServerProcess,
    readonly person: Person,
  ) {}

  static async open(name: string): Promise<Place> {
    const server = await ServerProcess.start({ FEDERATION_ALLOW_CIDRS: 'loopback' });
    const [person] = (await makePeople(server.dataDir, [name])) as [Person];
    return new Place(server, person);
  }

  /** Makes an administrator, who may call the API for administrators. */
  async staff(): Promise<Person> {
    const identity = { email: 'boss@example.org', password: 'correct horse battery' };
    const account = { username: 'boss', ...identity, role: 'admin', confirmed: true };
    const scopes = 'admin:read admin:write';
    const { id, token = '' } = await operatorClient(this.server.dataDir)('account.create', {
      ...account,
      token: { scopes },
    });
    return { id, name: 'boss', ...identity, token };
  }

  get host(): string {
    return new URL(this.server.url).host;
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

/** Waits until the condition is true, or has a value, and returns it. */
export const seen = <T>(what: string, condition: () => Promise<T | false | undefined>, ms = SEEN_MS_MAX): Promise<T> =>
  until(what, async () => (await condition()) || undefined, ms) as Promise<T>;

/** Makes the first person follow the second, and waits until both servers know it. Returns the second's id here. */
export async function follow(one: Place, two: Place): Promise<string> {
  const { accounts } = await one.find(`@${two.person.name}@${two.host}`);
  const { id } = accounts[0];
  await one.ask('POST', `accounts/${id}/follow`);
  await seen(`${one.person.name} as a follower`, async () => {
    const followers = await two.ask('GET', `accounts/${two.person.id}/followers`);
    return followers.some(({ acct }: Answer) => acct === `${one.person.name}@${one.host}`);
  });
  return id;
}
