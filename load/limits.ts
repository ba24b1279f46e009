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
  /** Milliseconds from sending a post to seeing it, in homes and streams. */
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

/** Compares each limit with the results. A run without a good answer meets no limit. */
export function judge(found: Found, limits: Limits): Judged[] {
  const { operations, total, verdicts, visibleMs, looked } = found;
  const judged: Judged[] = [];
  const each = (
    name: string,
    given: readonly Limit[],
    value: (figures: Figures) => number | undefined,
    shown: (value: number) => string,
    keeps: (value: number, bound: number) => boolean = (value, bound) => value <= bound,
  ) => {
    for (const { operation, bound, text } of given) {
      const figures = operation === undefined ? total : operations[operation];
      const measured = figures === undefined ? undefined : value(figures);
      judged.push({
        limit: `${name} ${text}`,
        found: measured === undefined ? 'not measured' : shown(measured),
        kept: measured !== undefined && keeps(measured, bound),
      });
    }
  };
  const share = (count: (figures: Figures) => number) => (figures: Figures) =>
    figures.sent === 0 ? undefined : count(figures) / figures.sent;
  const time = (of: (latency: Latency) => number) => (figures: Figures) =>
    figures.latencyMs.count === 0 ? undefined : of(figures.latencyMs);
  const percent = (value: number) => `${Number((value * 100).toPrecision(3))} %`;
  const ms = (value: number) => `${value} ms`;
  judged.push({ limit: 'any good answer', found: `${total.good}`, kept: total.good > 0 });
  const { unread } = looked;
  judged.push({
    limit: 'places that cannot be read afterwards ≤ 0',
    found: `${unread.length}`,
    kept: unread.length === 0,
  });
  each(
    'errors ≤',
    limits.errors,
    share(({ errors }) => errors),
    percent,
  );
  each(
    'shed ≤',
    limits.shed,
    share(({ shed }) => shed),
    percent,
  );
  each(
    'p50 ≤',
    limits.p50,
    time(({ p50 }) => p50),
    ms,
  );
  each(
    'p99 ≤',
    limits.p99,
    time(({ p99 }) => p99),
    ms,
  );
  each(
    'p99.9 ≤',
    limits.p999,
    time(({ p999 }) => p999),
    ms,
  );
  const rate = (value: number) => `${value}/s`;
  each(
    'rate ≥',
    limits.rate,
    ({ perSecond }) => perSecond,
    rate,
    (value, bound) => value >= bound,
  );
  if (limits.visibleP99 !== undefined) {
    const seen = [visibleMs.home, visibleMs.stream].filter(({ count }) => count > 0);
    const worst = Math.max(...seen.map(({ p99 }) => p99));
    const [kept, shown] = seen.length === 0 ? [false, 'not measured'] : [worst <= limits.visibleP99, ms(worst)];
    judged.push({ limit: `visible p99 ≤ ${limits.visibleP99} ms`, found: shown, kept });
  }
  for (const name of verdictNames) {
    const bound = limits.verdicts[name];
    if (bound === undefined) continue;
    judged.push({ limit: `${spoken(name)} ≤ ${bound}`, found: `${verdicts[name]}`, kept: verdicts[name] <= bound });
  }
  return judged;
}

/** Returns the readable form of a verdict's name, such as `out of order`. */
function spoken(name: VerdictName): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
