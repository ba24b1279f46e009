import { Type } from '@sinclair/typebox';
import { acctOf } from '../../../actors/domain/addresses.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { DOMAIN_CHARS_MAX } from '../../../actors/domain/servers/domain-name.js';
import type { NodeReport } from '../../admin-measures/operator.js';
import { clusterPage } from '../../html/moderation/cluster-page.js';
import { type AnyRoute, redirect } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { loadAccounts } from '../../viewing/people-at-hand.js';
import { notFound } from '../../viewing/visible.js';
import { personalForm, personalPage } from '../html/personal.js';

const PATH = '/cluster';
/** Owners have it, as the operator's command line has it. */
const permission = 'view_devops';
/** Servers of a page. Each costs a request to its actor. */
const PAGE = 20;
/** Longest name of a node; unknown names get a 404. */
const NODE_CHARS_MAX = 253;
/** Longest name with a port. */
const HOST_CHARS_MAX = DOMAIN_CHARS_MAX + 6;
const ACTS = ['retry', 'drop', 'pause', 'resume'] as const;

const show = personalPage(
  {
    ...{ path: PATH, permission },
    query: Type.Object({
      after: Type.Optional(Type.String({ maxLength: HOST_CHARS_MAX })),
      done: Type.Optional(Type.Boolean()),
      /** Name of the node whose details are shown. Absent: the one that answers. */
      node: Type.Optional(Type.String({ maxLength: NODE_CHARS_MAX })),
    }),
  },
  async ({ site, reader, request }) => {
    const { operator } = request.services;
    const { after, done, node: name } = request.query;
    const [nodes, hosts] = await Promise.all([operator.nodes(), operator.hosts(PAGE, after)]);
    if (isProblem(hosts)) return hosts;
    const shown = nodes.find((one) => (name === undefined ? one.isSelf : one.name === name));
    if (shown === undefined) return notFound();
    const last = hosts.length < PAGE ? undefined : hosts.at(-1);
    return clusterPage(site, reader, {
      ...{ nodes, shown, hosts, isDone: done === true, names: await namesOf(request.services, shown) },
      older: last === undefined ? undefined : `${PATH}?after=${encodeURIComponent(last.host)}`,
    });
  },
);

/** Returns the names of the busiest accounts of a node; deleted ones have none. */
async function namesOf(services: Services, { load }: NodeReport): Promise<ReadonlyMap<string, string>> {
  const people = await loadAccounts(services, load?.hot.map(({ id }) => id) ?? []);
  return new Map(
    (load?.hot ?? []).flatMap(({ id }) => {
      const account = people.get(id);
      return account === undefined ? [] : [[id, `@${acctOf(account)}`] as const];
    }),
  );
}

const steer = personalForm(
  {
    ...{ path: `${PATH}/hosts`, page: show, permission },
    body: {
      host: Type.String({ default: '', maxLength: HOST_CHARS_MAX }),
      action: Type.Union(ACTS.map((act) => Type.Literal(act))),
    },
  },
  async ({ request }) => {
    const { host, action } = request.body;
    const refused = await request.services.operator.steer(host, action);
    return refused ?? redirect(`${PATH}?done=true`, 303);
  },
);

/** The page of operators. */
export const clusterPageRoutes: readonly AnyRoute[] = [show, steer];
