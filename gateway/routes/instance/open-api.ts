import { Type } from '@sinclair/typebox';
import { areaPage, areasOf, areasPage, entitiesPage, type Reference } from '../../html/pages/reference-pages.js';
import { siteOf } from '../../html/site.js';
import { type AnyRoute, JsonText, json, route } from '../../http/route.js';
import type { InstanceSettings } from '../../settings/settings.js';
import { notFound } from '../../viewing/visible.js';
import { readerOf } from '../html/reader.js';

const PATH = '/api/openapi.json';
const AREA_CHARS_MAX = 40;

interface Made {
  readonly document: Reference;
  readonly text: JsonText;
}
const made = new WeakMap<InstanceSettings, Promise<Made>>();

/** Routes of the OpenAPI document, which is built on the first request, and of the pages that show it. */
export function openApiRoutes(others: readonly AnyRoute[]): readonly AnyRoute[] {
  const documented = (instance: InstanceSettings): Promise<Made> => {
    const existing = made.get(instance) ?? build([...others, ...own], instance);
    made.set(instance, existing);
    return existing;
  };
  const own: readonly AnyRoute[] = [
    route({
      method: 'GET',
      path: PATH,
      auth: 'none',
      handle: async ({ services }) => json((await documented(services.instance)).text),
    }),
    ...pages(async (instance) => (await documented(instance)).document),
  ];
  return own;
}

async function build(routes: readonly AnyRoute[], instance: InstanceSettings): Promise<Made> {
  const { openApiDocument } = await import('../../openapi/document.js');
  const document = openApiDocument(routes, instance);
  return { document: document as Reference, text: new JsonText(Buffer.from(JSON.stringify(document))) };
}

const pages = (documentOf: (instance: InstanceSettings) => Promise<Reference>): readonly AnyRoute[] => [
  route({
    method: 'GET',
    path: '/api',
    auth: 'none',
    handle: async (request) => {
      const [document, reader] = await Promise.all([documentOf(request.services.instance), readerOf(request)]);
      return areasPage(await siteOf(request.services), reader, document);
    },
  }),
  route({
    method: 'GET',
    path: '/api/docs/entities',
    auth: 'none',
    handle: async (request) => {
      const [document, reader] = await Promise.all([documentOf(request.services.instance), readerOf(request)]);
      return entitiesPage(await siteOf(request.services), reader, document);
    },
  }),
  route({
    method: 'GET',
    path: '/api/docs/:area',
    auth: 'none',
    params: Type.Object({ area: Type.String({ maxLength: AREA_CHARS_MAX }) }),
    handle: async (request) => {
      const [document, reader] = await Promise.all([documentOf(request.services.instance), readerOf(request)]);
      const entries = areasOf(document).get(request.params.area);
      if (entries === undefined) return notFound();
      return areaPage(await siteOf(request.services), reader, request.params.area, entries);
    },
  }),
];
