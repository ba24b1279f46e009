import type { Figures, Judged, Latency, LoadResult } from './judging/result.js';
import { type VerdictName, verdictNames } from './judging/verdicts.js';
import { BadPlan, type OperationName, operationNames } from './plan.js';

/**
 * Limits of a run: it fails when one is exceeded. Each may apply to all operations or to one. Verdicts are numbers of
 * findings.
 */
export interface Limits {
  /** A share (0 to 1) of the sent requests. */
  readonly errors: readonly Limit[];
  readonly shed: readonly Limit[];
  /** Milliseconds. */
  readonly p50: readonly Limit[];
  readonly p99: readonly Limit[];
  readonly p999: readonly Limit[];
  /** Minimum number of good answers per second. */
  readonly rate: readonly Limit[];
  /** Milliseconds from sending a post to seeing it, in homes, streams and pushes, and at peers. */
  readonly visibleP99: number | undefined;
  /** undefined: reported, but no reason to fail. */
  readonly verdicts: Readonly<Record<VerdictName, number | undefined>>;
}

export interface Limit {
  readonly operation: OperationName | undefined;
  readonly bound: number;
  /** As the user gave it. */
  readonly text: string;
}

/** Default limits: hardly any errors, nothing lost, repeated or out of order. */
export const defaultLimits: Limits = {
  errors: [{ operation: undefined, bound: 0.01, text: '1%' }],
  shed: [],
  p50: [],
  p99: [],
  p999: [],
  rate: [],
  visibleP99: undefined,
  verdicts: { lost: 0, repeated: 0, outOfOrder: 0, late: undefined },
};

const UNITS: Readonly<Record<'share' | 'duration' | 'rate', Readonly<Record<string, number>>>> = {
  share: { '%': 0.01, '': 1 },
  duration: { ms: 1, s: 1_000, m: 60_000, '': 1 },
  rate: { '/s': 1, '': 1 },
};

/** Parses `40ms`, `0.1%`, `200/s`. @throws BadPlan */
export function quantity(text: string, kind: keyof typeof UNITS): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)\s*(\D*)$/.exec(text.trim()) ?? [];
  const factor = UNITS[kind][unit ?? 'no unit'];
  if (digits === undefined || factor === undefined) throw new BadPlan(`"${text}" is not a valid ${kind}`);
  return Number(digits) * factor;
}

/** Parses `40ms`, `post=40ms` or `post=40ms,home=10ms`. @throws BadPlan */
export function limitsOf(text: string, kind: keyof typeof UNITS): Limit[] {
  return text.split(',').map((part) => {
    const [, name, value] = /^(?:([^=]*)=)?(.*)$/.exec(part.trim()) ?? [];
    const operation = operationNames.find((known) => known === name);
    if (name !== undefined && operation === undefined) {
      throw new BadPlan(`"${name}" is not an operation; operations are ${operationNames.join(', ')}`);
    }
    return { operation, bound: quantity(value ?? '', kind), text: part.trim() };
  });
}

type Found = Pick<LoadResult, 'operations' | 'total' | 'verdicts' | 'visibleMs' | 'looked'>;

/** A figure that limits of the same name bound, for all operations or one. */
interface Measure {
  readonly name: string;
  readonly given: readonly Limit[];
  /** Undefined: not measured. */
  readonly value: (figures: Figures) => number | undefined;
  readonly unit: (value: number) => string;
  readonly keeps: (value: number, bound: number) => boolean;
}

const atMost = (value: number, bound: number) => value <= bound;
const atLeast = (value: number, bound: number) => value >= bound;
const percent = (value: number) => `${Number((value * 100).toPrecision(3))} %`;
const ms = (value: number) => `${value} ms`;
const rate = (value: number) => `${value}/s`;
const share = (count: (figures: Figures) => number) => (figures: Figures) =>
  figures.sent === 0 ? undefined : count(figures) / figures.sent;
const time = (of: (latency: Latency) => number) => (figures: Figures) =>
  figures.latencyMs.count === 0 ? undefined : of(figures.latencyMs);

const measures = ({ errors, shed, p50, p99, p999, rate: rates }: Limits): readonly Measure[] => [
  { name: 'errors ≤', given: errors, value: share((of) => of.errors), unit: percent, keeps: atMost },
  { name: 'shed ≤', given: shed, value: share((of) => of.shed), unit: percent, keeps: atMost },
  { name: 'p50 ≤', given: p50, value: time((of) => of.p50), unit: ms, keeps: atMost },
  { name: 'p99 ≤', given: p99, value: time((of) => of.p99), unit: ms, keeps: atMost },
  { name: 'p99.9 ≤', given: p999, value: time((of) => of.p999), unit: ms, keeps: atMost },
  { name: 'rate ≥', given: rates, value: (of) => of.perSecond, unit: rate, keeps: atLeast },
];

/** Compares each limit with the results. A run without a good answer meets no limit. */
export function judge(found: Found, limits: Limits): Judged[] {
  const { total, looked } = found;
  const unread = looked.unread.length;
  return [
    { limit: 'any good answer', found: `${total.good}`, kept: total.good > 0 },
    { limit: 'places that cannot be read afterwards ≤ 0', found: `${unread}`, kept: unread === 0 },
    ...measures(limits).flatMap((measure) => measured(found, measure)),
    ...visibility(found, limits),
    ...verdictsOf(found, limits),
  ];
}

const measured = ({ operations, total }: Found, { name, given, value, unit, keeps }: Measure): Judged[] =>
  given.map(({ operation, bound, text }) => {
    const figures = operation === undefined ? total : operations[operation];
    const result = figures === undefined ? undefined : value(figures);
    return {
      limit: `${name} ${text}`,
      found: result === undefined ? 'not measured' : unit(result),
      kept: result !== undefined && keeps(result, bound),
    };
  });

function visibility({ visibleMs }: Found, { visibleP99 }: Limits): Judged[] {
  if (visibleP99 === undefined) return [];
  const seen = [visibleMs.home, visibleMs.stream, visibleMs.push, visibleMs.peer].filter(({ count }) => count > 0);
  const worst = Math.max(...seen.map(({ p99 }) => p99));
  const [kept, shown] = seen.length === 0 ? [false, 'not measured'] : [worst <= visibleP99, ms(worst)];
  return [{ limit: `visible p99 ≤ ${visibleP99} ms`, found: shown, kept }];
}

function verdictsOf({ verdicts }: Found, limits: Limits): Judged[] {
  return verdictNames.flatMap((name) => {
    const bound = limits.verdicts[name];
    if (bound === undefined) return [];
    return [{ limit: `${spoken(name)} ≤ ${bound}`, found: `${verdicts[name]}`, kept: verdicts[name] <= bound }];
  });
}

/** Returns the readable form of a verdict's name, such as `out of order`. */
function spoken(name: VerdictName): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
