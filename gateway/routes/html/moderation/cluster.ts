import { Type } from '@sinclair/typebox';
import { acctOf } from '../../../../actors/domain/addresses.js';
import { isPermitted } from '../../../../actors/domain/permissions.js';
import { isProblem, type Problem } from '../../../../actors/domain/problem.js';
import { DOMAIN_CHARS_MAX } from '../../../../actors/domain/servers/domain-name.js';
import type { NodeReport } from '../../../admin-measures/operator.js';
import { type ClusterFacts, clusterFacts, clusterPage } from '../../../html/moderation/cluster-page.js';
import { type AnyRoute, redirect } from '../../../http/route.js';
import type { Services } from '../../../http/services.js';
import { sessionOf } from '../../../oauth/session.js';
import { loadAccounts } from '../../../viewing/people-at-hand.js';
import { notFound } from '../../../viewing/visible.js';
import { EVENT_STREAM, eventStream } from '../event-stream.js';
import { personalForm, personalPage } from '../personal.js';

const PATH = '/cluster';
const STREAM_PATH = `${PATH}/streaming`;
/** Nodes take a sample of their load as often. */
const FACTS_EVERY_MS = 5_000;
/** Owners have it, as the operator's command line has it. */
const permission = 'view_devops';
/** Servers of a page. Each costs a request to its actor. */
const PAGE = 20;
/** Longest name of a node; unknown names get a 404. */
const NODE_CHARS_MAX = 253;
/** Longest name with a port. */
const HOST_CHARS_MAX = DOMAIN_CHARS_MAX + 6;
const ACTS = ['retry', 'drop', 'pause', 'resume'] as const;

const query = {
  after: Type.Optional(Type.String({ maxLength: HOST_CHARS_MAX })),
  /** Name of the node whose details are shown. Absent: the one that answers. */
  node: Type.Optional(Type.String({ maxLength: NODE_CHARS_MAX })),
};
interface Choice {
  readonly after?: string;
  readonly node?: string;
}

const show = personalPage(
  { ...{ path: PATH, permission }, query: Type.Object({ ...query, done: Type.Optional(Type.Boolean()) }) },
  async ({ site, reader, request }) => {
    const { done, ...choice } = request.query;
    const facts = await factsOf(request.services, choice);
    if (isProblem(facts)) return facts;
    const stream = `${STREAM_PATH}?${new URLSearchParams(Object.entries(choice))}`;
    return clusterPage(site, reader, facts, { stream, isDone: done === true });
  },
);

/** The stream by which an open page renews its figures. Others than event sources are led to the page. */
const live = personalPage(
  { ...{ path: STREAM_PATH, permission }, query: Type.Object(query) },
  async ({ reader, request }) => {
    const { services, query: choice, headers } = request;
    if (headers.accept?.startsWith(EVENT_STREAM) !== true) return redirect(PATH, 303);
    const facts = await factsOf(services, choice);
    if (isProblem(facts)) return facts;
    return eventStream(services.clock, FACTS_EVERY_MS, async () => {
      // The session may have ended, or the role changed.
      const session = await sessionOf(services, headers);
      if (session === undefined || !isPermitted(session.account.role ?? '', permission)) return undefined;
      const now = await factsOf(services, choice);
      return isProblem(now) ? undefined : clusterFacts(reader, now);
    });
  },
);

/** Returns everything that the page shows of the nodes and servers. @throws Unavailable */
async function factsOf(services: Services, { after, node: name }: Choice): Promise<ClusterFacts | Problem> {
  const { operator } = services;
  const [nodes, hosts] = await Promise.all([operator.nodes(), operator.hosts(PAGE, after)]);
  if (isProblem(hosts)) return hosts;
  const shown = nodes.find((one) => (name === undefined ? one.isSelf : one.name === name));
  if (shown === undefined) return notFound();
  const last = hosts.length < PAGE ? undefined : hosts.at(-1);
  const older = last === undefined ? undefined : `${PATH}?after=${encodeURIComponent(last.host)}`;
  return { nodes, shown, hosts, older, names: await namesOf(services, shown) };
}

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
export const clusterPageRoutes: readonly AnyRoute[] = [show, live, steer];
