import { generatorLine, generatorWarning } from '../generator.js';
import { tidy } from '../progress.js';
import type { Figures, LoadResult } from './result.js';

/** Formats the result in some lines for a terminal. */
export function summary(result: LoadResult): string {
  const { operations, total, visibleMs, verdicts, looked, findings, limits, generator } = result;
  const rows = [
    ['operation', 'good', 'good/s', 'shed', 'errors', 'p50 ms', 'p99 ms', 'max ms'],
    ...Object.entries(operations).map(([name, figures]) => row(name, figures)),
    row('all', total),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const table = rows.map((cells) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
  const seen = Object.entries(visibleMs)
    .filter(([, { count }]) => count > 0)
    .map(([where, { count, p50, p99 }]) => `${where} p50 ${tidy(p50)} ms, p99 ${tidy(p99)} ms (${count})`);
  const errors = Object.entries(total.errorsBy).map(([label, count]) => `${label}: ${count}`);
  const warning = generatorWarning(result);
  const lines = [
    '',
    `${result.targets.join(' ')}, ${result.users} users, ${result.seconds.toFixed(1)} s${result.interrupted ? ', interrupted' : ''}`,
    '',
    ...table,
    '',
    ...(seen.length > 0 ? [`from sending a post to seeing it: ${seen.join('; ')}`] : []),
    ...(errors.length > 0 ? [`errors: ${errors.join(', ')}`] : []),
    ...(total.errorsBy['429'] === undefined ? [] : ["429: this load has exceeded the server's rate limits"]),
    ...(total.unsent > 0 ? [`${total.unsent} requests were due and not sent before the end`] : []),
    `${looked.posts} acknowledged posts looked for at ${looked.authors} authors, in ${looked.homes} homes, on ${looked.streams} streams, in the pushes of ${looked.pushes} users, at ${looked.peers} peers: ` +
      `lost ${verdicts.lost}, repeated ${verdicts.repeated}, out of order ${verdicts.outOfOrder}, late ${verdicts.late}`,
    ...looked.unread.slice(0, 5).map((place) => `could not be read afterwards: ${place}`),
    ...(looked.streamsResumed > 0 ? [`streams were resumed ${looked.streamsResumed} times`] : []),
    ...(looked.streamsBroken > 0 ? [`${looked.streamsBroken} streams broke off during the run`] : []),
    ...findings.slice(0, 10).map(({ verdict, place, post, detail }) => `  ${verdict}: ${post} in ${place}: ${detail}`),
    generatorLine(generator),
    ...(warning === undefined ? [] : [warning]),
    '',
    ...limits.map(({ limit, found, kept }) => `${kept ? 'ok  ' : 'FAIL'} ${limit}: ${found}`),
    '',
  ];
  return lines.join('\n');
}

function row(name: string, { good, perSecond, shed, errors, latencyMs }: Figures): string[] {
  const times = [latencyMs.p50, latencyMs.p99, latencyMs.max].map(tidy);
  return [name, `${good}`, `${Math.round(perSecond)}`, `${shed}`, `${errors}`, ...times];
}
