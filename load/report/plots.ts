import type { Distribution, Moment, Series } from '../judging/result.js';
import { duration, percent, whole } from './markup.js';
import { area, bar, frameOf, line, mark, type Point, plot, pointed, type Size } from './plot.js';
import { linear, logarithmic, time } from './scale.js';

const seconds = (ms: number) => duration(ms).replace(/^0 ms$/, '0');
const rate = (value: number) => (value >= 10_000 ? `${value / 1_000}k` : String(Number(value.toPrecision(3))));

/**
 * Minimum length, as a share of an interval, of the last interval: requests that end after the run count there, and in
 * a shorter one would look like a jump.
 */
const SHORTEST = 0.25;

/** Plots answers per second: good, shed and errors, stacked. */
export function throughput({ all, intervalMs }: Series, durationMs: number, size: Size): string {
  const frame = frameOf(size);
  // The last interval is shorter when the run ends within it.
  const lasted = ({ atMs }: Moment) => Math.min(intervalMs, Math.max(durationMs - atMs, intervalMs * SHORTEST));
  const perSecond = (count: number, moment: Moment) => (count * 1_000) / lasted(moment);
  const tops = all.map((moment) => {
    const { good, shed, errors } = moment;
    return [0, good, good + shed, good + shed + errors].map((count) => perSecond(count, moment));
  });
  const x = time(durationMs, frame.left, frame.right);
  const y = linear(Math.max(...tops.map((stack) => stack[3] ?? 0), 1), frame.bottom, frame.top);
  const steps = (layer: number): Point[] =>
    tops.flatMap((stack, index): Point[] => {
      const at = y.at(stack[layer] ?? 0);
      return [
        [x.at(index * intervalMs), at],
        [x.at(Math.min(durationMs, (index + 1) * intervalMs)), at],
      ];
    });
  const layers = ['good', 'shed', 'errors'].map((kind, layer) => area(steps(layer + 1), steps(layer), kind));
  const says = (index: number) => {
    const moment = all[index] as Moment;
    const { atMs, good, shed, errors } = moment;
    const [goods, sheds, wrong] = [good, shed, errors].map((count) => whole(perSecond(count, moment)));
    return `at ${seconds(atMs)}: ${goods}/s good, ${sheds}/s shed, ${wrong}/s errors`;
  };
  const inside =
    layers.join('') + line(steps(1), 'good') + pointed(edges(all, intervalMs, durationMs, x.at), frame, says);
  return plot(size, 'Answers a second over time', { x, y, xLabel: seconds, yLabel: rate }, inside);
}

/** Plots p50, p90 and p99 over time. */
export function percentiles(
  moments: readonly Moment[],
  intervalMs: number,
  durationMs: number,
  size: Size,
  label: string,
): string {
  const frame = frameOf(size);
  const some = moments.filter(({ p99 }) => p99 > 0);
  const x = time(durationMs, frame.left, frame.right);
  const [least, most] = [Math.min(...some.map(({ p50 }) => p50)), Math.max(...some.map(({ p99 }) => p99))];
  const y = logarithmic(Number.isFinite(least) ? least : 1, Math.max(most, 0.1), frame.bottom, frame.top);
  const middle = ({ atMs }: Moment) => x.at(Math.min(durationMs, atMs + intervalMs / 2));
  const lines = (['p99', 'p90', 'p50'] as const).map((name) =>
    line(
      some.map((moment) => [middle(moment), y.at(moment[name])]),
      name,
    ),
  );
  const says = (index: number) => {
    const { atMs, p50, p90, p99 } = some[index] as Moment;
    return `at ${seconds(atMs)}: p50 ${duration(p50)}, p90 ${duration(p90)}, p99 ${duration(p99)}`;
  };
  const inside = lines.join('') + pointed(edges(some, intervalMs, durationMs, x.at), frame, says);
  return plot(size, label, { x, y, xLabel: seconds, yLabel: duration }, inside);
}

/** Plots the share of answers within a time, one line each. */
export function cumulative(
  distributions: readonly (readonly [kind: string, Distribution])[],
  size: Size,
  label: string,
): string {
  const frame = frameOf(size);
  const all = distributions.flatMap(([, steps]) => steps.map(({ ms }) => ms));
  const x = logarithmic(Math.min(...all), Math.max(...all), frame.left, frame.right);
  const y = linear(1, frame.bottom, frame.top);
  const lines = distributions.map(([kind, steps]) => {
    const total = steps.reduce((sum, { count }) => sum + count, 0);
    let seen = 0;
    const points = steps.flatMap(({ ms, count }): Point[] => {
      const before = seen;
      seen += count;
      return [
        [x.at(ms), y.at(before / total)],
        [x.at(ms), y.at(seen / total)],
      ];
    });
    return line(points, kind);
  });
  return plot(size, label, { x, y, xLabel: duration, yLabel: percent }, lines.join(''));
}

/** Columns of a histogram per decade: enough to show two peaks, few enough for a telephone. */
const COLUMNS_PER_TENFOLD = 12;

/** Plots the distribution of durations, with marks at p50 and p99. */
export function histogram(
  steps: Distribution,
  { p50, p99 }: { readonly p50: number; readonly p99: number },
  kind: string,
  size: Size,
  label: string,
): string {
  const frame = frameOf(size);
  const columns = new Map<number, number>();
  for (const { ms, count } of steps) {
    const column = Math.floor(Math.log10(Math.max(ms, 1e-3)) * COLUMNS_PER_TENFOLD);
    columns.set(column, (columns.get(column) ?? 0) + count);
  }
  const start = (column: number) => 10 ** (column / COLUMNS_PER_TENFOLD);
  const numbers = [...columns.keys()];
  const x = logarithmic(start(Math.min(...numbers)), start(Math.max(...numbers) + 1), frame.left, frame.right);
  const y = linear(Math.max(...columns.values()), frame.bottom, frame.top);
  const bars = [...columns].map(([column, count]) => {
    const [from, to] = [start(column), start(column + 1)];
    const says = `${duration(from)} to ${duration(to)}: ${whole(count)}`;
    return bar(x.at(from) + 0.5, x.at(to) - 0.5, y.at(count), frame.bottom, kind, says);
  });
  const marks = mark(x.at(p50), frame, 'p50') + (p99 > p50 * 1.6 ? mark(x.at(p99), frame, 'p99') : '');
  return plot(size, label, { x, y, xLabel: duration, yLabel: rate }, bars.join('') + marks);
}

function edges(
  moments: readonly Moment[],
  intervalMs: number,
  durationMs: number,
  at: (ms: number) => number,
): number[] {
  const last = moments.at(-1);
  const starts = moments.map(({ atMs }) => at(Math.min(atMs, durationMs)));
  return last === undefined ? [] : [...starts, at(Math.min(durationMs, last.atMs + intervalMs))];
}
