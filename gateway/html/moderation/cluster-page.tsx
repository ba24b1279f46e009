import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { NodeNodeLoad } from '../../../proto/gen/types.js';
import type { HostState, NodeReport } from '../../admin-measures/operator.js';
import type { Answer } from '../../http/route.js';
import { htmlAnswer } from '../page.js';
import { Csrf } from '../parts/form.js';
import { Pager } from '../parts/pager.js';
import { count, Time } from '../parts/time.js';
import { scriptPath } from '../script-files.js';
import type { Site } from '../site.js';
import type { Staff } from './frame.js';
import { Plot } from './plot.js';
import { shardRanges } from './shard-ranges.js';

const PATH = '/cluster';
const MINUTE_MS = 60_000;
/** Width of a plot in pixels. */
const PLOT_WIDTH = 160;

/** Everything that changes while the page is open. */
export interface ClusterFacts {
  readonly nodes: readonly NodeReport[];
  /** The node whose details are shown. */
  readonly shown: NodeReport;
  /** Names of accounts, by id. */
  readonly names: ReadonlyMap<string, string>;
  readonly hosts: readonly HostState[];
  readonly older: string | undefined;
}

/**
 * Renders the nodes of the cluster, the details of one, and the servers that wait for deliveries, for operators.
 * @param stream path of the stream that renews them
 */
export function clusterPage(
  site: Site,
  reader: Staff,
  facts: ClusterFacts,
  { stream, isDone }: { readonly stream: string; readonly isDone: boolean },
): Answer {
  const texts = reader.texts.cluster;
  const { shown } = facts;
  const body = (
    <>
      <h1>{texts.title}</h1>
      {isDone && (
        <p class="done" role="status">
          {reader.texts.moderation.done}
        </p>
      )}
      <p class="soft">
        {texts.intro} <a href={shown.isSelf ? PATH : nodePath(shown)}>{texts.reload}</a>
      </p>
      <div id="live" data-stream={stream}>
        <Facts facts={facts} reader={reader} />
      </div>
    </>
  );
  const view = { title: texts.title, isUnlisted: true, width: 'wide', script: scriptPath('cluster') } as const;
  return htmlAnswer(site, reader, view, body);
}

/** Renders the part of the page that its stream renews. */
export const clusterFacts = (reader: Staff, facts: ClusterFacts): string =>
  renderToString(<Facts facts={facts} reader={reader} />);

function Facts({ facts, reader }: { readonly facts: ClusterFacts; readonly reader: Staff }) {
  const { nodes, shown, names, hosts, older } = facts;
  const texts = reader.texts.cluster;
  return (
    <>
      <h2>{texts.nodes}</h2>
      <Nodes nodes={nodes} shown={shown} reader={reader} />
      <h2>
        {texts.node} <bdi>{shown.name}</bdi>
      </h2>
      {shown.load === undefined ? (
        <p class="notice">{texts.silent}</p>
      ) : (
        <Details load={shown.load} names={names} reader={reader} />
      )}
      <h2>{texts.hosts}</h2>
      <Hosts hosts={hosts} reader={reader} />
      <Pager older={older} texts={reader.texts} />
    </>
  );
}

const nodePath = ({ name }: NodeReport): string => `${PATH}?node=${encodeURIComponent(name)}`;

/** All nodes, each with a link to its details. */
function Nodes(props: { readonly nodes: readonly NodeReport[]; readonly shown: NodeReport; readonly reader: Staff }) {
  const { nodes, shown, reader } = props;
  const texts = reader.texts.cluster;
  const { name, state, version, shards, activations } = texts.facts;
  const number = (value: number | undefined) => (value === undefined ? '' : count(reader.language, value));
  return (
    <Table heads={[name, state, version, shards, activations]}>
      {nodes.map((node) => (
        <tr key={node.name}>
          <td>
            <a href={nodePath(node)} aria-current={node === shown ? 'true' : undefined}>
              <bdi>{node.name}</bdi>
            </a>
          </td>
          <td>
            {node.load?.status?.state ?? node.state}
            {node.load === undefined && node.state !== 'gone' && (
              <>
                {' '}
                <span class="mark danger">{texts.silent}</span>
              </>
            )}
          </td>
          <td>{node.version}</td>
          <td class="number">{number(node.load?.status?.shards)}</td>
          <td class="number">{number(node.load?.status?.activations)}</td>
        </tr>
      ))}
    </Table>
  );
}

/** Everything that a node says about itself. */
function Details(props: {
  readonly load: NodeNodeLoad;
  readonly names: ReadonlyMap<string, string>;
  readonly reader: Staff;
}) {
  const { load, names, reader } = props;
  const texts = reader.texts.cluster;
  return (
    <>
      <NodeFacts load={load} reader={reader} />
      {load.shards.length > 0 && (
        <>
          <h3>{texts.ownShards}</h3>
          <p>{shardRanges(load.shards)}</p>
        </>
      )}
      <Plots load={load} reader={reader} />
      <h3>{texts.queues}</h3>
      <Queues load={load} reader={reader} />
      <h3>{texts.kinds}</h3>
      <Counts
        rows={load.kinds.map(({ kind, count: actors }) => [kind, actors] as const)}
        heads={[texts.actor, texts.count]}
        reader={reader}
      />
      <h3>{texts.hot}</h3>
      {load.hot.length === 0 ? (
        <p class="soft">{texts.cold}</p>
      ) : (
        <Counts
          rows={load.hot.map(
            ({ id, count: asks }) => [names.get(id) ?? id, asks, `/moderation/accounts/${id}`] as const,
          )}
          heads={[texts.account, texts.commands]}
          reader={reader}
        />
      )}
      <h3>{texts.busiest}</h3>
      {load.busiest.length === 0 ? (
        <p class="soft">{texts.idle}</p>
      ) : (
        <Counts
          rows={load.busiest.map(({ kind, id, count: waiting }) => [`${kind}/${id}`, waiting] as const)}
          heads={[texts.actor, texts.waiting]}
          reader={reader}
        />
      )}
    </>
  );
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

/** The load of the last ten minutes. */
function Plots({ load, reader }: { readonly load: NodeNodeLoad; readonly reader: Staff }) {
  const { plots } = reader.texts.cluster;
  return (
    <>
      {(['commands', 'activations', 'unsettled', 'lateMs'] as const).map((figure) => (
        <Plot
          key={figure}
          values={load.samples.map((sample) => sample[figure])}
          label={plots[figure]}
          language={reader.language}
        />
      ))}
    </>
  );
}

function NodeFacts({ load, reader }: { readonly load: NodeNodeLoad; readonly reader: Staff }) {
  const { status, unsettled } = load;
  if (status === undefined) return null;
  const { facts } = reader.texts.cluster;
  const number = (value: number) => count(reader.language, Math.round(value));
  const rows = [
    [facts.name, status.name],
    [facts.state, status.state],
    [facts.version, status.version],
    [facts.shards, number(status.shards)],
    [facts.activations, number(status.activations)],
    [facts.unsettled, number(unsettled)],
    [facts.uptime, number(status.uptimeMs / MINUTE_MS)],
    [facts.clock, number(status.clockOffsetMs)],
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

function Queues({ load, reader }: { readonly load: NodeNodeLoad; readonly reader: Staff }) {
  const texts = reader.texts.cluster;
  const names: Readonly<Record<string, string>> = texts.queueNames;
  const number = (value: number | undefined) => (value === undefined ? '' : count(reader.language, Math.round(value)));
  return (
    <Table heads={[texts.queue, texts.waiting, texts.oldest, texts.done, texts.failed]}>
      {load.queues.map(({ name, waiting, oldestSeconds, done, failed }) => (
        <tr key={name}>
          <td>{names[name] ?? name}</td>
          {[waiting, oldestSeconds, done, failed].map((figure) => (
            <td class="number">{number(figure)}</td>
          ))}
        </tr>
      ))}
    </Table>
  );
}

/** Numbers of things, largest first, each with a bar. */
function Counts(props: {
  readonly rows: readonly (readonly [name: string, value: number, path?: string])[];
  readonly heads: readonly string[];
  readonly reader: Staff;
}) {
  const { heads, reader } = props;
  const rows = [...props.rows].sort(([, one], [, other]) => other - one);
  const highest = Math.max(1, ...rows.map(([, value]) => value));
  return (
    <Table heads={heads}>
      {rows.map(([name, value, path]) => (
        <tr key={name}>
          <td>{path === undefined ? name : <a href={path}>{name}</a>}</td>
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

/** Returns the orders that a host can follow: nothing is sent to a paused one. */
const actsFor = (state: HostState['state']) =>
  state === 'paused' ? (['drop', 'resume'] as const) : (['retry', 'drop', 'pause'] as const);

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
            {actsFor(state).map((act) => (
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
