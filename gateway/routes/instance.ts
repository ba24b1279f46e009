import { renderInstance, renderInstanceV1, versionText } from '../entities/instance.js';
import { type Answer, type AnyRoute, JsonText, json, route } from '../http/route.js';
import type { InstanceSettings, Services } from '../services.js';

/** What NodeInfo 2.0 says of the version: without spaces, as its schema wants. */
function nodeInfo(instance: InstanceSettings) {
  return {
    version: '2.0',
    software: { name: 'murmuration', version: instance.version },
    protocols: ['activitypub'],
    services: { inbound: [], outbound: [] },
    openRegistrations: instance.registrations !== 'closed',
    usage: { users: {} },
    metadata: { apiVersion: versionText(instance) },
  };
}

const NODE_INFO_TYPE = 'application/json; profile="http://nodeinfo.diaspora.software/ns/schema/2.0#"; charset=utf-8';

/** What the instance says of itself, to clients and to other servers. */
export const instanceRoutes: readonly AnyRoute[] = [
  tell('/api/v1/instance', renderInstanceV1),
  tell('/api/v2/instance', renderInstance),
  tell('/api/v1/instance/rules', () => []),
  tell('/api/v1/custom_emojis', () => []),
  tell('/.well-known/nodeinfo', (instance) => ({
    links: [{ rel: 'http://nodeinfo.diaspora.software/ns/schema/2.0', href: `${instance.baseUrl}/nodeinfo/2.0` }],
  })),
  route({
    method: 'GET',
    path: '/nodeinfo/2.0',
    auth: 'none',
    handle: async ({ services }) => ({
      status: 200,
      headers: { 'content-type': NODE_INFO_TYPE },
      body: JSON.stringify(nodeInfo(services.instance)),
    }),
  }),
];

/** Settings never change while a node runs, so what it says of them is put together once. */
function tell(path: string, what: (instance: InstanceSettings) => unknown): AnyRoute {
  const told = new WeakMap<InstanceSettings, Answer>();
  const handle = ({ services: { instance } }: { services: Pick<Services, 'instance'> }) => {
    let answer = told.get(instance);
    if (answer === undefined) {
      answer = json(new JsonText(Buffer.from(JSON.stringify(what(instance)))));
      told.set(instance, answer);
    }
    return answer;
  };
  return route({ method: 'GET', path, auth: 'none', handle });
}
