import { escaped } from './markup.js';
import type { Scale } from './scale.js';

/** In CSS pixels; a plot is drawn once for each display width, so that its labels stay readable. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

const MARGIN = { top: 10, right: 14, bottom: 26, left: 52 };

export interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export function frameOf({ width, height }: Size): Frame {
  return { left: MARGIN.left, right: width - MARGIN.right, top: MARGIN.top, bottom: height - MARGIN.bottom };
}

export interface Axes {
  readonly x: Scale;
  readonly y: Scale;
  readonly xLabel: (value: number) => string;
  readonly yLabel: (value: number) => string;
}

/** Draws a plot: axes with lines and labels, and the given content. */
export function plot(size: Size, label: string, { x, y, xLabel, yLabel }: Axes, inside: string): string {
  const { left, right, top, bottom } = frameOf(size);
  const rows = y.ticks.map((tick) => {
    const at = place(y.at(tick));
    return `<line class="grid" x1="${left}" x2="${right}" y1="${at}" y2="${at}"/><text x="${left - 6}" y="${at}" dy="0.32em" text-anchor="end">${yLabel(tick)}</text>`;
  });
  // On a narrow plot adjacent labels would overlap.
  const each = Math.ceil((x.ticks.length * 46) / (right - left));
  const columns = x.ticks.map((tick, index) => {
    const at = place(x.at(tick));
    const anchor = index === 0 ? 'start' : x.at(tick) > right - 12 ? 'end' : 'middle';
    const letters =
      index % each === 0 ? `<text x="${at}" y="${bottom + 17}" text-anchor="${anchor}">${xLabel(tick)}</text>` : '';
    return `<line class="grid" x1="${at}" x2="${at}" y1="${top}" y2="${bottom}"/>${letters}`;
  });
  return (
    `<svg viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${escaped(label)}">` +
    `${rows.join('')}${columns.join('')}${inside}` +
    `<line class="axis" x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/></svg>`
  );
}

/** Coordinates of a point. */
export type Point = readonly [number, number];

export function line(points: readonly Point[], kind: string): string {
  const first = points[0];
  if (first === undefined) return '';
  // A single point is a line to itself, which round line ends show as a dot.
  if (points.length === 1) return line([first, first], kind);
  return `<polyline class="line ${kind}" points="${points.map(pair).join(' ')}"/>`;
}

/** Fills the area between two lines. */
export function area(upper: readonly Point[], lower: readonly Point[], kind: string): string {
  if (upper.length === 0) return '';
  return `<polygon class="area ${kind}" points="${[...upper, ...lower.toReversed()].map(pair).join(' ')}"/>`;
}

export function bar(left: number, right: number, top: number, bottom: number, kind: string, says: string): string {
  const [width, height] = [Math.max(0.5, right - left), Math.max(0, bottom - top)];
  return `<rect class="bar ${kind}" x="${place(left)}" y="${place(top)}" width="${place(width)}" height="${place(height)}"><title>${escaped(says)}</title></rect>`;
}

/** Draws a vertical mark with a short label. */
export function mark(at: number, { top, bottom }: Frame, letters: string): string {
  return `<line class="mark" x1="${place(at)}" x2="${place(at)}" y1="${top}" y2="${bottom}"/><text class="marked" x="${place(at) + 4}" y="${top + 9}">${letters}</text>`;
}

/** Draws invisible strips whose tooltips show the figures of their interval. */
export function pointed(edges: readonly number[], { top, bottom }: Frame, says: (index: number) => string): string {
  return edges
    .slice(0, -1)
    .map((left, index) => {
      const width = Math.max(0.5, (edges[index + 1] ?? left) - left);
      return `<rect class="point" x="${place(left)}" y="${top}" width="${place(width)}" height="${bottom - top}"><title>${escaped(says(index))}</title></rect>`;
    })
    .join('');
}

/** Rounds to a tenth of a pixel, the visible precision. */
function place(at: number): number {
  return Math.round(at * 10) / 10;
}

function pair([x, y]: Point): string {
  return `${place(x)},${place(y)}`;
}
