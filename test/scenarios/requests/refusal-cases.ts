import type { AnyRoute } from '../../../gateway/http/route.js';
import { allRoutes } from '../../../gateway/routes/index.js';
import {
  type Field,
  fieldsOf,
  formName,
  type Hostile,
  hostileValues,
  jsonWith,
  wrongFor,
} from '../../kit/hostile/hostile-values.js';
import type { Attack, Case } from '../suites/attack.js';
import { nameOf } from './every-route.js';
import type { Fitting } from './fitting-request.js';
import type { Sent } from './raw-request-of.js';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const only = (status: number): ReadonlySet<number> => new Set([status]);
const reading = allRoutes.filter(({ method }) => method !== 'GET');

/** Returns cases with invalid tokens, or insufficient ones for the route. */
export async function tokenCases({ tokens, scoped, world }: Attack): Promise<Case[]> {
  const cases: Case[] = [];
  for (const route of allRoutes.filter(({ auth }) => auth !== 'none')) {
    const add = (name: string, token: string | undefined, status: number, isCore = true) =>
      cases.push({ name, route, sent: (fitting) => ({ ...fitting, token }), statuses: only(status), isCore });
    if (route.auth !== 'optional') add('no token', undefined, 401);
    add('unknown token', `${world.viewer.token}x`, 401);
    for (const token of ['x', '', '\xff\xfe', 'x'.repeat(2_000), `${world.viewer.token} x`])
      add(`token ${token.slice(0, 10)}`, token, 401, false);
    if (route.scope !== undefined) {
      if (route.scope !== 'push') add('scope push', tokens.push, 403, false);
      const who = route.permission === undefined ? 'ada' : 'chief';
      add('every other scope', await scoped.without(who, route), 403);
    }
    if (route.auth === 'user') add('unconfirmed', tokens.unconfirmed, 403);
    if (route.auth === 'user' || route.auth === 'unconfirmed') add('application’s token', tokens.app, 422);
  }
  return cases;
}

/** An id that was never issued. */
const NOBODYS = '9'.repeat(18);
const NO_IDS = ['0', '1', '-1', 'x', '1.5', '1e3', '9'.repeat(30), 'x'.repeat(3_000), '[]', '{}', "'", '..%2f1'];
const NO_TEXTS = ['%00', '%ff', '1%00', '%ed%a0%80', '\xff', '%', '%zz', '%c3%28'];

/** Returns cases with unknown ids, invalid ids, and bytes that are not text, in each parameter of each path. */
export function idCases(): Case[] {
  return allRoutes.flatMap((route) =>
    paramsOf(route).flatMap((name, index) => {
      const of = (value: string, status: number, isCore: boolean): Case => ({
        name: `:${name} ${value}`,
        route,
        sent: (fitting) =>
          index === 0 ? { ...fitting, id: value } : { ...fitting, rest: { ...fitting.rest, [name]: value } },
        statuses: only(status),
        isCore,
      });
      const ids = OF_THINGS.test(name) ? [of(NOBODYS, 404, true), ...NO_IDS.map((id) => of(id, 404, false))] : [];
      return [...ids, ...NO_TEXTS.map((text) => of(text, 400, false))];
    }),
  );
}

const paramsOf = ({ path }: AnyRoute): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
/** Parameters that identify a thing; others are words, and a dismissed suggestion may name anybody. */
const OF_THINGS = /^(?:id|item|quote)$/;

/** Things that only their owner may see. */
const OWNED = [
  'lists|filters(?:/keywords|/statuses)?|scheduled_statuses|notifications(?:/requests)?|conversations|media|featured_tags',
  'timelines/list',
].map((things) => new RegExp(`^\\w+ /api/v[12]/(?:${things})/:`));
/** Things that everybody may see, but only their owner may change. */
const SHOWN: Readonly<Record<string, number>> = {
  'POST /api/v1/follow_requests/:id/authorize': 404,
  'PUT /api/v1/statuses/:id': 404,
  'DELETE /api/v1/statuses/:id': 404,
  'PUT /api/v1/statuses/:id/interaction_policy': 404,
  'POST /api/v1/statuses/:id/quotes/:quote/revoke': 403,
  'POST /api/v1/statuses/:id/pin': 422,
  'PATCH /api/v1/collections/:id': 403,
  'DELETE /api/v1/collections/:id': 403,
  'POST /api/v1/collections/:id/items': 403,
  'DELETE /api/v1/collections/:id/items/:item': 403,
  'POST /api/v1/collections/:id/items/:item/revoke': 403,
};

export function othersCases({ tokens }: Attack): Case[] {
  return allRoutes.flatMap((route) => {
    const status = SHOWN[nameOf(route)] ?? (OWNED.some((one) => one.test(nameOf(route))) ? 404 : undefined);
    if (status === undefined) return [];
    const sent = (fitting: Fitting) => ({ ...fitting, token: tokens.stranger });
    return [{ name: 'somebody else’s', route, sent, statuses: only(status), isCore: true }];
  });
}

export function queryCases(): Case[] {
  return allRoutes.flatMap((route) =>
    fieldsOf(route.query).flatMap((field, index) => {
      const core = index === 0 ? coreOf(field, 'form') : undefined;
      return hostileValues(field.schema)
        .filter(({ form }) => form !== undefined)
        .map((hostile): Case => {
          const name = formName(field.path);
          const query = name + hostile.form;
          return {
            name: `?${name} ${hostile.label}`,
            route,
            sent: (fitting) => ({ ...fitting, query }),
            ...(hostile === core ? CORE : {}),
          };
        });
    }),
  );
}

/** The first hostile value of each route goes to every node: valid text, but not of the field's type. */
const CORE = { isCore: true, statuses: only(422) };
const coreOf = ({ schema }: Field, as: 'form' | 'json'): Hostile | undefined =>
  wrongFor(schema).find((hostile) => hostile[as] !== undefined);

const joined = (...parts: readonly string[]) => parts.filter((part) => part !== '').join('&');
const asForm = (body: Fitting['body'] = {}) =>
  Object.entries(body)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
/** Removes the fitting request's own value, which would win or contradict. */
const without = (body: Fitting['body'] = {}, name = '') =>
  Object.fromEntries(Object.entries(body).filter(([key]) => key !== name));

/** Returns cases with hostile bodies, in JSON and in forms. */
export function bodyCases(): Case[] {
  return allRoutes.flatMap((route) => fieldsOf(route.body).flatMap((field, index) => fieldCases(route, field, index)));
}

function fieldCases(route: AnyRoute, field: Field, index: number): Case[] {
  const { path, schema } = field;
  const core = index === 0 ? coreOf(field, 'json') : undefined;
  return hostileValues(schema).flatMap((hostile) => {
    const { label, form, json } = hostile;
    const as = (kind: string, sent: (fitting: Fitting) => Sent): Case => ({
      name: `${formName(path)} ${label} (${kind})`,
      ...{ route, sent },
      ...(kind === 'JSON' && hostile === core ? CORE : {}),
    });
    const inJson = (fitting: Fitting) => ({ ...fitting, raw: jsonWith(fitting.body ?? {}, path, json ?? '') });
    const inForm = (fitting: Fitting) => ({
      ...fitting,
      type: FORM,
      raw: joined(asForm(without(fitting.body, path[0])), formName(path) + form),
    });
    return [...(json === undefined ? [] : [as('JSON', inJson)]), ...(form === undefined ? [] : [as('form', inForm)])];
  });
}

/** Bodies that every route refuses. An inbox refuses their types. */
const BODIES: readonly (readonly [label: string, type: string, raw: string])[] = [
  ['half an object', JSON_TYPE, '{"status":'],
  ['an array', JSON_TYPE, '[]'],
  ['text', JSON_TYPE, '"x"'],
  ['a number', JSON_TYPE, '5'],
  ['bad UTF-8 in a name', JSON_TYPE, '{"\xff":1}'],
  ['NUL in a name', JSON_TYPE, '{"a\\u0000":1}'],
  ['an unclosed abyss', JSON_TYPE, '['.repeat(100_000)],
  ['a picture', 'image/png', '\x89PNG'],
  ['multipart without a boundary', 'multipart/form-data', 'x'],
  ['multipart of another boundary', 'multipart/form-data; boundary=a', '--b\r\n\r\nx\r\n--b--'],
  ['too many values', FORM, 'a=1&'.repeat(1_001)],
  ['too deep a name', FORM, 'a[b][c][d][e][f]=1'],
  ['a contradiction', FORM, 'a[b]=1&a[]=2'],
  ['__proto__', FORM, '__proto__[a]=1'],
  ['a long name', FORM, `${'a'.repeat(300)}=1`],
  ['bad UTF-8 in a form’s name', FORM, '%ff=1'],
];

export function noRequestCases(): Case[] {
  return reading.flatMap((route) =>
    BODIES.map(([name, type, raw], index) => ({
      name: `body ${name}`,
      route,
      sent: (fitting: Fitting) => ({ ...fitting, type, raw }),
      statuses: only(route.isRaw === true ? 415 : 400),
      isCore: index === 0,
    })),
  );
}

export function hugeCases(): Case[] {
  const raw = Buffer.alloc(10 * 1_048_576, 'x');
  return reading.map((route) => ({
    name: '10 MB',
    route,
    sent: (fitting) => ({ ...fitting, raw }),
    statuses: only(413),
  }));
}
