import { call, type Person } from '../cluster/people.js';
import type { Fitting } from './fitting-request.js';

/** Number of filters that wait to be used: an account has at most 100, and the tests themselves create some. */
const FILTERS_KEPT_MAX = 20;

/** The context of the requests. */
export interface Stage {
  readonly url: string;
  readonly viewer: Person;
  readonly other: Person;
  readonly statusId: string;
}

/** Returns fitting requests for users' own settings, by the name of their route. */
export function ownAccountRequests(stage: Stage): Readonly<Record<string, () => Promise<Fitting>>> {
  const filter = filterMaker(stage);
  const filters = '/api/v2/filters';
  return {
    'POST /api/v1/filters': async () => ({ body: { phrase: 'one', context: ['home'] } }),
    'GET /api/v1/filters/:id': async () => ({ id: (await filter()).keyword }),
    'PUT /api/v1/filters/:id': async () => ({
      id: (await filter()).keyword,
      body: { phrase: 'another', context: ['home'] },
    }),
    'DELETE /api/v1/filters/:id': async () => ({ id: (await filter()).keyword }),
    [`POST ${filters}`]: async () => ({ body: { title: 'one', context: ['home'] } }),
    [`GET ${filters}/:id`]: async () => ({ id: (await filter()).filter }),
    [`PUT ${filters}/:id`]: async () => ({ id: (await filter()).filter, body: { title: 'another' } }),
    [`DELETE ${filters}/:id`]: async () => ({ id: (await filter()).filter }),
    [`GET ${filters}/:id/keywords`]: async () => ({ id: (await filter()).filter }),
    [`POST ${filters}/:id/keywords`]: async () => ({ id: (await filter()).filter, body: { keyword: 'word' } }),
    [`GET ${filters}/keywords/:id`]: async () => ({ id: (await filter()).keyword }),
    [`PUT ${filters}/keywords/:id`]: async () => ({ id: (await filter()).keyword, body: { keyword: 'word' } }),
    [`DELETE ${filters}/keywords/:id`]: async () => ({ id: (await filter()).keyword }),
    [`GET ${filters}/:id/statuses`]: async () => ({ id: (await filter()).filter }),
    [`POST ${filters}/:id/statuses`]: async () => ({
      id: (await filter(false)).filter,
      body: { status_id: stage.statusId },
    }),
    [`GET ${filters}/statuses/:id`]: async () => ({ id: (await filter()).status }),
    [`DELETE ${filters}/statuses/:id`]: async () => ({ id: (await filter()).status }),
    'POST /api/v1/domain_blocks': async () => ({ body: { domain: 'bad.example' } }),
    'GET /api/v1/domain_blocks': async () => {
      await call(stage.url, stage.viewer, 'POST', '/api/v1/domain_blocks', { domain: 'bad.example' });
      return {};
    },
    'DELETE /api/v1/domain_blocks': async () => ({ query: 'domain=bad.example' }),
    'POST /api/v1/featured_tags': async () => ({ body: { name: 'birds' } }),
    'GET /api/v1/featured_tags': async () => {
      await featuredTag(stage);
      return {};
    },
    'DELETE /api/v1/featured_tags/:id': async () => ({ id: await featuredTag(stage) }),
    'POST /api/v1/tags/:name/feature': async () => ({ id: 'birds' }),
    'POST /api/v1/tags/:name/unfeature': async () => ({ id: 'birds' }),
    'POST /api/v1/accounts/:id/endorse': () => followed(stage),
    'POST /api/v1/accounts/:id/pin': () => followed(stage),
    'GET /api/v1/endorsements': async () => {
      const { id = '' } = await followed(stage);
      await call(stage.url, stage.viewer, 'POST', `/api/v1/accounts/${id}/endorse`);
      return {};
    },
    'GET /api/v1/accounts/familiar_followers': async () => ({ query: `id[]=${stage.other.id}` }),
    'POST /api/v1/follows': async () => ({ body: { uri: 'ben' } }),
    ...pushRequests(stage),
  };
}

/** A client's address and keys. Source of the keys: RFC 8291 appendix A. */
export const PUSH_SUBSCRIPTION = {
  endpoint: 'https://push.example/one',
  keys: {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
};

/** Returns push requests; older clients use the plural path. A subscription belongs to the token that created it. */
function pushRequests({ url, viewer }: Stage): Readonly<Record<string, () => Promise<Fitting>>> {
  const body = { subscription: PUSH_SUBSCRIPTION, data: { alerts: { mention: true }, policy: 'followed' } };
  const subscribed = async () => {
    await call(url, viewer, 'POST', '/api/v1/push/subscription', body);
    return { token: viewer.token };
  };
  const paths = ['/api/v1/push/subscription', '/api/v1/push/subscriptions'];
  const tests = { 'POST /api/v1/push/subscription/test': subscribed };
  const requests = Object.fromEntries(
    paths.flatMap((path): [string, () => Promise<Fitting>][] => [
      [`POST ${path}`, async () => ({ body })],
      [`GET ${path}`, subscribed],
      [`PUT ${path}`, async () => ({ ...(await subscribed()), body: { data: { policy: 'all' } } })],
      [`DELETE ${path}`, subscribed],
    ]),
  );
  return { ...requests, ...tests };
}

/** Creates filters with a keyword and a status; deletes the oldest to make room, because there is a maximum number. */
function filterMaker({ url, viewer, statusId }: Stage) {
  const kept: string[] = [];
  let made = 0;
  return async (named = true): Promise<{ filter: string; keyword: string; status: string }> => {
    const oldest = kept.length < FILTERS_KEPT_MAX ? undefined : kept.shift();
    const headers = { authorization: `Bearer ${viewer.token}` };
    if (oldest !== undefined) await fetch(`${url}/api/v2/filters/${oldest}`, { method: 'DELETE', headers });
    const body = { title: `filter ${++made}`, context: ['home'], keywords_attributes: [{ keyword: 'unsaid' }] };
    const { id, keywords } = (await call(url, viewer, 'POST', '/api/v2/filters', body)) as {
      id: string;
      keywords: { id: string }[];
    };
    kept.push(id);
    const path = `/api/v2/filters/${id}/statuses`;
    const status = named ? await call(url, viewer, 'POST', path, { status_id: statusId }) : { id: '' };
    return { filter: id, keyword: keywords[0]?.id ?? '', status: (status as { id: string }).id };
  };
}

async function featuredTag({ url, viewer }: Stage): Promise<string> {
  return ((await call(url, viewer, 'POST', '/api/v1/featured_tags', { name: 'birds' })) as { id: string }).id;
}

/** Makes the viewer follow an account. */
async function followed({ url, viewer, other }: Stage): Promise<Fitting> {
  await call(url, viewer, 'POST', `/api/v1/accounts/${other.id}/follow`);
  return { id: other.id };
}
