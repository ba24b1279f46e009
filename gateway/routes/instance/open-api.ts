import { type AnyRoute, JsonText, json, route } from '../../http/route.js';
import type { Facts } from '../../openapi/answer-schemas.js';
import type { InstanceSettings } from '../../settings/settings.js';

const PATH = '/api/openapi.json';
const made = new WeakMap<InstanceSettings, JsonText>();

/** Route of the OpenAPI document, which is built on the first request. */
export function openApiRoutes(others: readonly AnyRoute[]): readonly AnyRoute[] {
  const own: AnyRoute = route({
    method: 'GET',
    path: PATH,
    auth: 'none',
    handle: async ({ services: { instance } }) => {
      let text = made.get(instance);
      if (text === undefined) {
        const [{ openApiDocument }, { default: facts }] = await Promise.all([
          import('../../openapi/document.js'),
          import('../../openapi/facts.json', { with: { type: 'json' } }),
        ]);
        const document = openApiDocument([...others, own], facts as unknown as Facts, instance);
        text = new JsonText(Buffer.from(JSON.stringify(document)));
        made.set(instance, text);
      }
      return json(text);
    },
  });
  return [own];
}
