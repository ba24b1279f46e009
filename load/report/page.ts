import { generatorLine, generatorWarning } from '../generator.js';
import type { Figures, LoadResult } from '../judging/result.js';
import type { VerdictName } from '../judging/verdicts.js';
import { type OperationName, operationNames } from '../plan.js';
import { duration, escaped, percent, whole } from './markup.js';
import type { Size } from './plot.js';
import { cumulative, histogram, percentiles, throughput } from './plots.js';
import { style } from './style.js';

/** A plot of the page's width, for a desktop and for a telephone. */
const WIDE: Size = { width: 480, height: 250 };
const NARROW: Size = { width: 320, height: 230 };
/** One of several plots side by side. */
const SMALL: Size = { width: 320, height: 170 };

const VERDICTS: Readonly<Record<VerdictName, readonly [name: string, meaning: string]>> = {
  lost: ['lost', 'acknowledged, yet missing from their author or a follower'],
  repeated: ['repeated', 'twice in one timeline or stream'],
  outOfOrder: ['out of order', 'before a post of the same author that was answered first'],
  late: ['late', 'seen by a follower only after'],
};

/** Renders the result as one self-contained page: no script, no other file. */
export function reportPage(result: LoadResult): string {
  const { targets, passed, startedAt } = result;
  const title = `Load on ${targets.join(' ')}`;
  const sections = [head(result), limits(result), verdicts(result), overTime(result), table(result)];
  const body = [...sections, latencies(result), eachOperation(result), errors(result), plan(result)].join('\n');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${passed ? 'Passed' : 'Failed'}: ${escaped(title)}, ${escaped(startedAt)}</title><style>${style}</style></head>
<body><main>
${body}
</main></body></html>
`;
}

function head(result: LoadResult): string {
  const { targets, passed, startedAt, seconds, users, total, plan } = result;
  const { pace } = plan;
  const how =
    pace.kind === 'closed'
      ? `closed loop, ${pace.inFlight} in flight`
      : `open loop, ${pace.perSecond} requests a second`;
  const cards = [
    [`${whole(total.perSecond)}/s`, 'good answers'],
    [duration(total.latencyMs.p50), 'p50'],
    [duration(total.latencyMs.p99), 'p99'],
    [percent(total.errors / (total.sent || 1)), 'errors'],
    [percent(total.shed / (total.sent || 1)), 'shed: 503 with Retry-After'],
    ...(total.unsent > 0 ? [[whole(total.unsent), 'due but not sent']] : []),
  ];
  const warning = generatorWarning(result);
  const busy = warning === undefined ? '' : `<p><strong>${escaped(warning)}</strong></p>`;
  const ended = result.interrupted ? ', <strong>interrupted</strong>' : '';
  return `<h1>${escaped(targets.join(' '))} <span class="${passed ? 'pass">passed' : 'fail">failed'}</span></h1>
<p>${escaped(startedAt)}, ${duration(seconds * 1_000)}${ended}, ${whole(users)} users, ${how}, ${whole(total.sent)} requests</p>${busy}
<div class="cards">${cards.map(([figure, what]) => card('', figure ?? '', what ?? '')).join('')}</div>`;
}

function card(kind: string, figure: string, what: string): string {
  return `<div class="card ${kind}"><div class="figure">${figure}</div><div class="what">${what}</div></div>`;
}

function limits({ limits: judged }: LoadResult): string {
  const rows = judged.map(
    ({ limit, found, kept }) =>
      `<tr><td>${escaped(limit)}</td><td>${escaped(found)}</td><td class="${kept ? 'kept">kept' : 'broken">broken'}</td></tr>`,
  );
  return section('Limits', scrolling(`<tr><th>limit</th><th>found</th><th></th></tr>${rows.join('')}`));
}

function verdicts({ verdicts: counts, findings, looked, plan: { lateMs } }: LoadResult): string {
  const cards = Object.entries(VERDICTS).map(([verdict, [name, meaning]]) => {
    const count = counts[verdict as VerdictName];
    const what = `<strong>${name}</strong>: ${meaning}${verdict === 'late' ? ` ${duration(lateMs)}, or never` : ''}`;
    return card(count === 0 ? 'isfine' : 'isbad', whole(count), what);
  });
  const rows = findings.map(
    ({ verdict, place, post, detail }) =>
      `<tr><td>${VERDICTS[verdict][0]}</td><td class="long">${escaped(place)}</td><td class="long">${escaped(`${post} ${detail}`)}</td></tr>`,
  );
  const unread = looked.unread.map((place) => `<p>Could not be read afterwards: ${escaped(place)}</p>`).slice(0, 20);
  const broken = looked.streamsBroken > 0 ? `, of which ${looked.streamsBroken} broke off` : '';
  const resumed = looked.streamsResumed > 0 ? `, resumed ${whole(looked.streamsResumed)} times` : '';
  return `<h2>Verdicts</h2><p>${whole(looked.posts)} posts, looked for in the statuses of ${whole(looked.authors)} authors, in ${looked.homes} homes, on ${looked.streams} streams${broken}${resumed}, in the pushes of ${looked.pushes} users and at ${looked.peers} peers.</p>
<div class="cards">${cards.join('')}</div>${unread.join('')}
${rows.length > 0 ? `<div class="card" style="margin-top:12px">${scrolling(rows.join(''))}</div>` : ''}`;
}

function overTime({ series, seconds, plan: { durationMs } }: LoadResult): string {
  const endMs = Math.min(durationMs, Math.max(series.intervalMs, seconds * 1_000));
  const { all, intervalMs } = series;
  if (all.length === 0) return '';
  return `<h2>Over time</h2><div class="pair">
${plotCard(
  'Answers a second',
  legend([
    ['good', 'good'],
    ['shed', 'shed'],
    ['errors', 'errors'],
  ]),
  twice((size) => throughput(series, endMs, size)),
)}
${plotCard(
  'Latency',
  PERCENTILES,
  twice((size) => percentiles(all, intervalMs, endMs, size, 'Latency over time')),
)}
</div>`;
}

const PERCENTILES = legend([
  ['p50', 'p50'],
  ['p90', 'p90'],
  ['p99', 'p99'],
]);

function table({ operations, total }: LoadResult): string {
  const row = (
    name: string,
    { good, perSecond, shed, errors: wrong, latencyMs: { p50, p90, p99, p999, max } }: Figures,
  ) => {
    const times = [p50, p90, p99, p999, max].map((ms) => `<td>${duration(ms)}</td>`).join('');
    return `<tr><td>${name}</td><td>${whole(good)}</td><td>${whole(perSecond)}</td><td>${whole(shed)}</td><td>${whole(wrong)}</td>${times}</tr>`;
  };
  const names = ['', 'good', 'good/s', 'shed', 'errors', 'p50', 'p90', 'p99', 'p99.9', 'most'];
  const rows = known(operations).map(([name, figures]) => row(name, figures));
  const heads = `<tr>${names.map((name) => `<th>${name}</th>`).join('')}</tr>`;
  return section('Operations', scrolling(`${heads}${rows.join('')}${row('all', total)}`));
}

function latencies({ operations, distributions, visibleMs }: LoadResult): string {
  const own = known(operations).flatMap(([name]) => {
    const steps = distributions[name] ?? [];
    return steps.length === 0 ? [] : [[colour(name), steps, name] as const];
  });
  const seen = (
    [
      ['c0', 'visible in homes', visibleMs.home],
      ['c1', 'visible by streams', visibleMs.stream],
      ['c2', 'visible by pushes', visibleMs.push],
      ['c3', 'visible at peers', visibleMs.peer],
    ] as const
  ).filter(([, , { count }]) => count > 0);
  const cards = [];
  if (own.length > 0) {
    const lines = own.map(([kind, steps]) => [kind, steps] as const);
    const names = legend(own.map(([kind, , name]) => [kind, name]));
    cards.push(
      plotCard(
        'Answered within',
        names,
        twice((size) => cumulative(lines, size, 'Share answered within a time')),
      ),
    );
  }
  if (seen.length > 0) {
    const lines = seen.map(([kind, name]) => [kind, distributions[name] ?? []] as const);
    const names = legend(
      seen.map(([kind, name, { p50, p99 }]) => [kind, `${name}: p50 ${duration(p50)}, p99 ${duration(p99)}`]),
    );
    const draw = (size: Size) => cumulative(lines, size, 'Share of posts seen within a time');
    cards.push(plotCard('From sending a post to seeing it', names, twice(draw)));
  }
  return cards.length === 0 ? '' : `<h2>Latency</h2><div class="pair">${cards.join('')}</div>`;
}

function eachOperation({ operations, distributions, series, seconds, plan: { durationMs } }: LoadResult): string {
  const endMs = Math.min(durationMs, Math.max(series.intervalMs, seconds * 1_000));
  const cards = known(operations).flatMap(([name, { latencyMs, perSecond }]) => {
    const steps = distributions[name] ?? [];
    if (steps.length === 0) return [];
    const bars = histogram(steps, latencyMs, colour(name), SMALL, `How many of ${name} took how long`);
    const moments = series.byOperation[name] ?? [];
    const lines = percentiles(moments, series.intervalMs, endMs, SMALL, `Latency of ${name} over time`);
    return [
      `<div class="card"><h3>${name} <span>${whole(perSecond)}/s, p99 ${duration(latencyMs.p99)}</span></h3>${bars}${PERCENTILES}${lines}</div>`,
    ];
  });
  return cards.length === 0 ? '' : `<h2>Each operation</h2><div class="three">${cards.join('')}</div>`;
}

function errors({ operations, total }: LoadResult): string {
  const most = Math.max(...Object.values(total.errorsBy), 1);
  const rows = known(operations).flatMap(([name, { errorsBy }]) =>
    Object.entries(errorsBy).map(
      ([label, count]) =>
        `<tr><td>${name}</td><td>${escaped(label)}</td><td>${whole(count)}</td><td style="width:40%"><span class="errorbar" style="width:${Math.round((count / most) * 100)}%"></span></td></tr>`,
    ),
  );
  const heads = '<tr><th>operation</th><th>status, or what came instead</th><th>times</th><th></th></tr>';
  const none = `<p>None. ${whole(total.shed)} answers were 503 with Retry-After, which is no error.</p>`;
  return section('Errors by status', rows.length === 0 ? none : scrolling(heads + rows.join('')));
}

function plan({ plan: planned, generator }: LoadResult): string {
  const text = escaped(JSON.stringify({ plan: planned, generator }, null, 2));
  return `<p style="margin-top:24px">${escaped(generatorLine(generator))}</p><details><summary>The plan, and what the generator itself used</summary><pre>${text}</pre></details>`;
}

function section(title: string, content: string): string {
  return `<h2>${title}</h2><div class="card">${content}</div>`;
}

/** Wraps a table, so that one wider than a telephone scrolls within its card. */
function scrolling(rows: string): string {
  return `<div class="scroll"><table>${rows}</table></div>`;
}

function plotCard(title: string, names: string, svg: string): string {
  return `<div class="card"><h3>${title}</h3>${names}${svg}</div>`;
}

function twice(draw: (size: Size) => string): string {
  return `<div class="wide">${draw(WIDE)}</div><div class="narrow">${draw(NARROW)}</div>`;
}

function legend(lines: readonly (readonly [kind: string, name: string])[]): string {
  return `<div class="legend">${lines.map(([kind, name]) => `<span class="${kind}"><i></i>${name}</span>`).join('')}</div>`;
}

function known(operations: LoadResult['operations']): (readonly [OperationName, Figures])[] {
  return operationNames.flatMap((name) => {
    const figures = operations[name];
    return figures === undefined ? [] : [[name, figures] as const];
  });
}

/** Returns the colour of an operation, the same everywhere. */
function colour(name: OperationName): string {
  return `c${operationNames.indexOf(name)}`;
}
