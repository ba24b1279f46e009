import { count } from '../parts/time.js';
import type { Language } from '../texts/index.js';

/** Size of a plot in pixels. */
const WIDTH = 240;
const HEIGHT = 40;
/** Values of a whole plot; fewer begin at its left. */
const VALUES_MAX = 120;

/** A line of values over time, oldest first, from 0 to the highest. Drawn without styles, which the CSP refuses. */
export function Plot({
  values,
  label,
  language,
}: {
  readonly values: readonly number[];
  readonly label: string;
  readonly language: Language;
}) {
  const shown = values.slice(-VALUES_MAX);
  const highest = Math.max(1, ...shown);
  const points = shown.map((value, index) => {
    const x = (index * WIDTH) / (VALUES_MAX - 1);
    const y = HEIGHT - 1 - (value / highest) * (HEIGHT - 2);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const last = shown.at(-1);
  if (last === undefined) return null;
  const text = `${label}: ${count(language, last)} (≤ ${count(language, Math.max(...shown))})`;
  return (
    <figure>
      <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={text}>
        <polyline points={points.join(' ')} fill="none" stroke="currentColor" stroke-width="1.5" />
      </svg>
      <figcaption class="small soft">{text}</figcaption>
    </figure>
  );
}
