import { type AnyRoute, JsonText, json, route } from '../../http/route.js';
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
        const { openApiDocument } = await import('../../openapi/document.js');
        const document = openApiDocument([...others, own], instance);
        text = new JsonText(Buffer.from(JSON.stringify(document)));
        made.set(instance, text);
      }
      return json(text);
    },
  });
  return [own];
}
