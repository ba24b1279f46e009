/** Maps values to positions along an axis, and lists its ticks. */
export interface Scale {
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
}

const TICKS_MAX = 6;

/**
 * Returns a scale from 0 to a round number not below `max`. @param from the position of 0, @param to that of the end
 */
export function linear(max: number, from: number, to: number): Scale {
  const top = Math.max(max, 1e-9);
  const magnitude = 10 ** Math.floor(Math.log10(top));
  const step = ([0.2, 0.5, 1, 2, 5].find((one) => top / (one * magnitude) <= TICKS_MAX) ?? 5) * magnitude;
  const end = Math.ceil(top / step - 1e-9) * step;
  const ticks = Array.from({ length: Math.round(end / step) + 1 }, (_, index) => index * step);
  return { at: (value) => from + ((to - from) * value) / end, ticks };
}

/** Returns a scale of time from 0 to exactly `end`. */
export function time(end: number, from: number, to: number): Scale {
  const { ticks } = linear(end, from, to);
  return { at: (value) => from + ((to - from) * value) / end, ticks: ticks.filter((tick) => tick <= end) };
}

/** Returns a scale of powers of ten that includes `min` and `max`, with ticks at 2 and 5 when there is room. */
export function logarithmic(min: number, max: number, from: number, to: number): Scale {
  const low = Math.floor(Math.log10(Math.max(min, 1e-3)) + 1e-9);
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(max, 1e-3)) - 1e-9));
  const between = high - low <= 2 ? [1, 2, 5] : [1];
  const ticks: number[] = [];
  for (let power = low; power < high; power++) for (const times of between) ticks.push(times * 10 ** power);
  ticks.push(10 ** high);
  const at = (value: number) => from + ((to - from) * (Math.log10(Math.max(value, 10 ** low)) - low)) / (high - low);
  return { at, ticks };
}
