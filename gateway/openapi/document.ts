import type { AnyRoute } from '../http/route.js';
import { ALL_SCOPES } from '../oauth/scopes.js';
import type { InstanceSettings } from '../settings/settings.js';
import { type Components, type JsonSchema, published } from './published.js';

type Schema = JsonSchema & {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
};

const REFUSAL: JsonSchema = {
  type: 'object',
  required: ['error'],
  properties: { error: { type: 'string' }, error_description: { type: 'string' }, details: { type: 'object' } },
};

/** A route without a schema of its answer may be a page, which shows a refused form again, with what was typed. */
const PAGE = { 'text/html': {} };

/**
 * Builds the OpenAPI 3.1 document of the routes: requests from the validated schemas, answers from the schemas of the entities.
 */
export function openApiDocument(routes: readonly AnyRoute[], instance: InstanceSettings): object {
  const schemas: Components = {};
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    const operations = paths[path] ?? {};
    operations[route.method.toLowerCase()] = operation(route, schemas);
    paths[path] = operations;
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Murmuration', version: instance.version },
    servers: [{ url: instance.baseUrl }],
    paths,
    components: { schemas, securitySchemes: { oauth: securityScheme(instance) } },
  };
}

function operation(route: AnyRoute, schemas: Components): object {
  const body = requestBody(route);
  return {
    operationId: `${route.method.toLowerCase()}${route.path.replace(/[^a-zA-Z0-9]+/g, '_')}`,
    parameters: [...parametersOf(route.params, 'path'), ...parametersOf(route.query, 'query')],
    ...(body === undefined ? {} : { requestBody: body }),
    responses: responses(route, schemas),
    ...(route.auth === 'none' ? {} : { security: security(route) }),
  };
}

function responses({ answer, successes = [200] }: AnyRoute, schemas: Components): object {
  const schema = answer && published(answer, schemas);
  const content = schema === undefined ? {} : { content: { 'application/json': { schema } } };
  const refused = { content: { 'application/json': { schema: REFUSAL }, ...(schema === undefined && PAGE) } };
  return {
    ...Object.fromEntries(successes.map((code) => [code, { description: 'Success', ...content }])),
    ...(schema === undefined ? { '2XX': { description: 'Success' } } : {}),
    '3XX': { description: 'Elsewhere' },
    '4XX': { description: 'Refused', ...refused },
    '503': { description: 'Try again later', ...refused },
  };
}

/** Returns alternative requirements: one of the scopes is enough, and `optional` also allows none. */
function security({ auth, scope }: AnyRoute): object[] {
  const scopes = scope === undefined ? [] : [scope].flat();
  const any = scopes.length === 0 ? [{ oauth: [] }] : scopes.map((one) => ({ oauth: [one] }));
  return auth === 'optional' ? [...any, {}] : any;
}

function securityScheme({ baseUrl }: InstanceSettings): object {
  const scopes = Object.fromEntries([...ALL_SCOPES].map((scope) => [scope, scope]));
  return {
    type: 'oauth2',
    flows: {
      authorizationCode: {
        authorizationUrl: `${baseUrl}/oauth/authorize`,
        tokenUrl: `${baseUrl}/oauth/token`,
        scopes,
      },
      clientCredentials: { tokenUrl: `${baseUrl}/oauth/token`, scopes },
    },
  };
}

function parametersOf(schema: unknown, where: 'path' | 'query'): object[] {
  const { properties = {}, required = [] } = (schema ?? {}) as Schema;
  return Object.entries(properties).map(([name, own]) => {
    const shown = plain(own);
    const isArray = shown.type === 'array';
    return {
      name: isArray ? `${name}[]` : name,
      in: where,
      required: where === 'path' || (required.includes(name) && shown.default === undefined),
      schema: shown,
      ...(isArray ? { style: 'form', explode: true } : {}),
      ...(shown.type === 'object' ? { style: 'deepObject', explode: true } : {}),
    };
  });
}

function requestBody({ body, multipartBytesMax }: AnyRoute): object | undefined {
  if (body === undefined) return undefined;
  const schema = plain(body as Schema);
  const forms = { 'multipart/form-data': { schema } };
  // A file can only be sent in a form.
  return { content: multipartBytesMax === undefined ? { 'application/json': { schema }, ...forms } : forms };
}

/**
 * Removes the keywords of this server's validator. A field with a default is optional, unless `shown`, which contains
 * the handler's further demands, requires it.
 */
function plain(schema: Schema): Schema {
  const { clamp: _clamp, lenient: _lenient, tooLong: _tooLong, bytes, shown: demanded, ...rest } = schema;
  if (bytes === true) return { type: 'string', format: 'binary' };
  const shown: Record<string, unknown> = { ...rest };
  if (rest.properties !== undefined) {
    shown.properties = Object.fromEntries(Object.entries(rest.properties).map(([name, own]) => [name, plain(own)]));
    const needed = (rest.required ?? []).filter((name) => rest.properties?.[name]?.default === undefined);
    if (needed.length > 0) shown.required = needed;
    else delete shown.required;
  }
  if (rest.items !== undefined) shown.items = plain(rest.items);
  return demanded === undefined ? (shown as Schema) : withDemands(shown, demanded as Schema);
}

function withDemands(shown: Readonly<Record<string, unknown>>, demanded: Schema): Schema {
  const properties = { ...(shown.properties as Schema['properties']) };
  for (const [name, own] of Object.entries(demanded.properties ?? {}))
    properties[name] = withDemands(properties[name] ?? {}, own);
  // The handler would refuse the default.
  const { default: _default, ...rest } = shown;
  return { ...rest, ...demanded, ...(Object.keys(properties).length === 0 ? {} : { properties }) } as Schema;
}
