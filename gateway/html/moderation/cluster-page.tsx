import type { ComponentChildren } from 'preact';
import type { ActorLoad, HostState, NodeState, Operator } from '../../admin-measures/operator.js';
import type { Answer } from '../../http/route.js';
import { htmlAnswer } from '../page.js';
import { Csrf } from '../parts/form.js';
import { Pager } from '../parts/pager.js';
import { count, Time } from '../parts/time.js';
import type { Site } from '../site.js';
import type { Staff } from './frame.js';

const PATH = '/cluster';
const MINUTE_MS = 60_000;
/** Width of a plot in pixels. */
const PLOT_WIDTH = 160;

/** Everything that the page shows. */
interface ClusterFacts {
  readonly state: NodeState;
  readonly load: ActorLoad;
  readonly members: Awaited<ReturnType<Operator['members']>>;
  readonly hosts: readonly HostState[];
  readonly older: string | undefined;
  readonly isDone: boolean;
}

/** Renders the state of the node and of its cluster for operators. */
export function clusterPage(site: Site, reader: Staff, facts: ClusterFacts): Answer {
  const { state, load, members, hosts, older, isDone } = facts;
  const texts = reader.texts.cluster;
  const body = (
    <>
      <h1>{texts.title}</h1>
      {isDone && (
        <p class="done" role="status">
          {reader.texts.moderation.done}
        </p>
      )}
      <p class="soft">{texts.intro}</p>
      <h2>{texts.node}</h2>
      <NodeFacts state={state} reader={reader} />
      <h2>{texts.nodes}</h2>
      {members.length === 0 ? (
        <p class="soft">{texts.embedded}</p>
      ) : (
        <Table heads={[texts.facts.name, texts.facts.state, texts.facts.version]}>
          {members.map(({ name, state: one, version }) => (
            <tr key={name}>
              <td>{name}</td>
              <td>{one}</td>
              <td>{version}</td>
            </tr>
          ))}
        </Table>
      )}
      <h2>{texts.queues}</h2>
      <Queues state={state} reader={reader} />
      <h2>{texts.kinds}</h2>
      <Counts rows={Object.entries(load.kinds)} heads={[texts.actor, texts.count]} reader={reader} />
      <h2>{texts.busiest}</h2>
      {load.busiest.length === 0 ? (
        <p class="soft">{texts.idle}</p>
      ) : (
        <Counts
          rows={load.busiest.map(({ kind, id, waiting }) => [`${kind}/${id}`, waiting] as const)}
          heads={[texts.actor, texts.waiting]}
          reader={reader}
        />
      )}
      <h2>{texts.hosts}</h2>
      <Hosts hosts={hosts} reader={reader} />
      <Pager older={older} texts={reader.texts} />
    </>
  );
  return htmlAnswer(site, reader, { title: texts.title, isUnlisted: true, width: 'wide' }, body);
}

function Table({ heads, children }: { readonly heads: readonly string[]; readonly children: ComponentChildren }) {
  return (
    <div class="table">
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function NodeFacts({ state, reader }: { readonly state: NodeState; readonly reader: Staff }) {
  const { facts } = reader.texts.cluster;
  const number = (value: number) => count(reader.language, Math.round(value));
  const rows = [
    [facts.name, state.name],
    [facts.state, state.state],
    [facts.version, state.version],
    [facts.shards, number(state.shards)],
    [facts.activations, number(state.activations)],
    [facts.unsettled, number(state.unsettled)],
    [facts.uptime, number(state.uptimeMs / MINUTE_MS)],
    [facts.clock, number(state.clockOffsetMs)],
  ] as const;
  return (
    <div class="table">
      <table>
        <tbody>
          {rows.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Queues({ state, reader }: { readonly state: NodeState; readonly reader: Staff }) {
  const { mail, federation } = state;
  const texts = reader.texts.cluster;
  const number = (value: number | undefined) => (value === undefined ? '' : count(reader.language, value));
  const { queueNames: names } = texts;
  const rows: readonly (readonly [name: string, ...figures: (number | undefined)[]])[] = [
    [names.mail, mail.waiting, mail.oldestWaitingSeconds, mail.sent, sum(mail.failed)],
    [
      names.deliveries,
      federation.waiting,
      federation.oldestWaitingSeconds,
      federation.delivered,
      sum(federation.failed) + sum(federation.dropped),
    ],
    [names.inbox, federation.waitingInbox, undefined, undefined, undefined],
  ];
  return (
    <Table heads={[texts.queue, texts.waiting, texts.oldest, texts.done, texts.failed]}>
      {rows.map(([name, ...figures]) => (
        <tr key={name}>
          <td>{name}</td>
          {figures.map((figure) => (
            <td class="number">{number(figure)}</td>
          ))}
        </tr>
      ))}
    </Table>
  );
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((all, one) => all + one, 0);

/** Numbers of things, largest first, each with a bar. */
function Counts(props: {
  readonly rows: readonly (readonly [name: string, value: number])[];
  readonly heads: readonly string[];
  readonly reader: Staff;
}) {
  const { heads, reader } = props;
  const rows = [...props.rows].sort(([, one], [, other]) => other - one);
  const highest = Math.max(1, ...rows.map(([, value]) => value));
  return (
    <Table heads={heads}>
      {rows.map(([name, value]) => (
        <tr key={name}>
          <td>{name}</td>
          <td>
            <svg width={PLOT_WIDTH} height="12" aria-hidden="true">
              <rect width={Math.ceil((value / highest) * PLOT_WIDTH)} height="12" rx="3" fill="currentColor" />
            </svg>{' '}
            {count(reader.language, value)}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Hosts({ hosts, reader }: { readonly hosts: readonly HostState[]; readonly reader: Staff }) {
  const texts = reader.texts.cluster;
  if (hosts.length === 0) return <p class="soft">{texts.noHosts}</p>;
  return (
    <ul class="rows">
      {hosts.map(({ host, state, waiting, oldest, next }) => (
        <li key={host}>
          <form class="group" method="post" action={`${PATH}/hosts`}>
            <Csrf reader={reader} />
            <input type="hidden" name="host" value={host} />
            <bdi>{host}</bdi>
            <span class={state === 'closed' ? 'mark' : 'mark danger'}>{texts.states[state]}</span>
            {(['retry', 'drop', state === 'paused' ? 'resume' : 'pause'] as const).map((act) => (
              <button
                key={act}
                type="submit"
                name="action"
                value={act}
                class="link"
                aria-label={`${texts.acts[act]}: ${host}`}
              >
                {texts.acts[act]}
              </button>
            ))}
          </form>
          <p class="next">
            {texts.waiting}: {count(reader.language, waiting)}
            {oldest !== null && (
              <>
                {' '}
                · {texts.since} <Time iso={oldest} language={reader.language} />
              </>
            )}
            {next !== null && (
              <>
                {' '}
                · {texts.next} <Time iso={next} language={reader.language} />
              </>
            )}
          </p>
        </li>
      ))}
    </ul>
  );
}
