import { inParallel } from '../../load/clients/in-parallel.js';
import { type Activity, PeerServer } from '../../load/peers/peer-server.js';
import { newKeyPair } from '../../load/peers/signing.js';
import { until } from '../../test/kit/time/until.js';
import { signedText } from '../open-loop.js';
import { at, get, type Town, write } from '../town.js';
import { documentOf } from './sender.js';

/** Requests that are signed at a time: as many as libuv's pool has threads for. */
const SIGNED_AT_ONCE = 16;
const ACCEPTED_MS_MAX = 120_000;
const PATH = '/inbox';

/** Synthetic servers with one person each, whom one local person follows. */
export class RemoteHosts {
  #posts = 0;

  private constructor(
    private readonly servers: readonly PeerServer[],
    private readonly inbox: URL,
  ) {}

  static async open(count: number, town: Town): Promise<RemoteHosts> {
    const key = await newKeyPair();
    const follows: [PeerServer, Activity][] = [];
    const take = (server: PeerServer, activity: Activity) => {
      if (activity.type === 'Follow') follows.push([server, activity]);
    };
    const numbers = Array.from({ length: count }, (_, index) => index);
    const servers = await inParallel(numbers, SIGNED_AT_ONCE, (index) =>
      PeerServer.open('fast', index % 2 === 0 ? 'cavage' : 'rfc9421', key, take),
    );
    const hosts = new RemoteHosts(servers, new URL(PATH, town.target.urls[0]));
    // The first answer of a person makes a key, which costs 0.2 s: a delivery does not wait for many of them.
    for (const { username } of town.followers) await town.call(documentOf(username));
    const ids: string[] = [];
    await town.each('search', count, (index) => {
      const query = `q=${encodeURIComponent(at(servers, index).handle)}&type=accounts&resolve=true`;
      return get(`/api/v2/search?${query}`, at(town.followers, index), ({ accounts }) => ids.push(accounts[0].id) > 0);
    });
    await town.each('follow', count, (index) =>
      write(at(town.followers, index), `/api/v1/accounts/${at(ids, index)}/follow`, {}, ({ following }) => following),
    );
    await until('a Follow at each host', () => follows.length >= count || undefined, ACCEPTED_MS_MAX);
    for (const [server, follow] of follows) {
      const signed = await server.signed(hosts.inbox, server.activity('Accept', follow));
      await town.call({ method: 'POST', path: PATH, signed, right: () => false });
    }
    await town.target.settled();
    return hosts;
  }

  /** Returns the texts of so many signed requests with Creates, from the hosts in turn. */
  creates(count: number): Promise<string[]> {
    const numbers = Array.from({ length: count }, () => this.#posts++);
    return inParallel(numbers, SIGNED_AT_ONCE, async (number) => {
      const server = at(this.servers, number);
      return signedText(PATH, await server.signed(this.inbox, server.create(`number ${number}`)));
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.close()));
  }
}
