import type { AnyRoute } from '../../../gateway/http/route.js';
import { allRoutes } from '../../../gateway/routes/index.js';
import { RawClient } from '../../kit/network/raw-request.js';
import type { ClusterNodes } from '../../kit/services/cluster-nodes.js';
import { OwnTime } from '../../kit/time/own-time.js';
import { EveryRoute, nameOf } from '../requests/every-route.js';
import { rawRequestOf, type Sent } from '../requests/raw-request-of.js';
import { appTokenOf } from '../requests/read-requests.js';

/** Prefix of a stream's path. A stream has no answer that ends. */
const STREAMS = '/api/v1/streaming';

/** A request, and the time until its answer. A connection that ends is an answer, too. */
export interface Asked {
  readonly name: string;
  /** 0: the connection ended. */
  readonly status: number;
  readonly ms: number;
}

/** Requests to all routes, which were made while the cluster was well. Each goes to another node. */
export class AllRoutesAtOnce {
  private constructor(
    private readonly urls: readonly string[],
    private readonly requests: readonly (readonly [AnyRoute, Sent])[],
  ) {}

  static async prepare(cluster: ClusterNodes): Promise<AllRoutesAtOnce> {
    const world = await EveryRoute.prepare(cluster.place);
    const appToken = await appTokenOf(world, cluster.url);
    const requests: (readonly [AnyRoute, Sent])[] = [];
    for (const route of allRoutes) {
      if (route.path.startsWith(STREAMS)) continue;
      const token = route.auth === 'app' ? appToken : world.viewer.token;
      requests.push([route, { token, ...(await world.fitting(route)) }]);
    }
    return new AllRoutesAtOnce(cluster.urls, requests);
  }

  /** Sends all requests at the same time. */
  async ask(): Promise<Asked[]> {
    const clients = this.urls.map((url) => new RawClient(url, this.requests.length));
    const time = new OwnTime();
    const one = async (route: AnyRoute, sent: Sent, client: RawClient): Promise<Asked> => {
      const status = await client.send(rawRequestOf(route, sent)).then(
        (answer) => answer.status,
        () => 0,
      );
      return { name: nameOf(route), status, ms: time.ms };
    };
    try {
      return await Promise.all(
        this.requests.map(([route, sent], index) => one(route, sent, clients[index % clients.length] as RawClient)),
      );
    } finally {
      time.stop();
      for (const client of clients) client.close();
    }
  }
}
