import type { LoadResult } from './judging/result.js';

/** Share of busy time from which on the generator is the bottleneck. */
const BUSY_MAX = 0.9;
/** Share of the median latency from which on the generator's own delay distorts the figures. */
const OWN_SHARE_MAX = 0.5;

/**
 * Returns why the figures say less about the server than they seem to; undefined when the generator had enough time.
 */
export function generatorWarning({ generator, total }: Pick<LoadResult, 'generator' | 'total'>): string | undefined {
  const { busy, loopDelayMs, lateMs } = generator;
  const percent = `${Math.round(busy * 100)} %`;
  if (busy > BUSY_MAX) {
    return `the generator itself was busy ${percent} of the time: the server may be faster than these figures`;
  }
  const ownMs = Math.max(loopDelayMs.p50, lateMs?.p50 ?? 0);
  if (total.latencyMs.count > 0 && ownMs > OWN_SHARE_MAX * total.latencyMs.p50) {
    return `much of the latency is the generator's own delay: the server may be faster than these figures`;
  }
  return undefined;
}

/** Returns one line with the generator's own CPU use and delays. */
export function generatorLine({ busy, loopDelayMs, lateMs }: LoadResult['generator']): string {
  const late = lateMs === undefined ? '' : `; began requests late by p50 ${lateMs.p50} ms, p99 ${lateMs.p99} ms`;
  const loop = `noticed answers late by p50 ${loopDelayMs.p50} ms, p99 ${loopDelayMs.p99} ms`;
  return `the generator itself: busy ${Math.round(busy * 100)} %, ${loop}${late}`;
}
