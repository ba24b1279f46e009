import type { LoadResult } from './judging/result.js';

/** Beyond, the generator is the slower part. */
const BUSY_MAX = 0.9;
/** From that share of the median latency on, the generator's own delay is part of what the figures tell. */
const OWN_SHARE_MAX = 0.5;

/** Why the figures say less of the server than they seem to; undefined when the generator had time enough. */
export function generatorWarning({ generator, total }: Pick<LoadResult, 'generator' | 'total'>): string | undefined {
  const { busy, loopDelayMs, lateMs } = generator;
  const percent = `${Math.round(busy * 100)} %`;
  if (busy > BUSY_MAX) {
    return `the generator itself was busy ${percent} of the time: the server may be faster than this says`;
  }
  const ownMs = Math.max(loopDelayMs.p50, lateMs?.p50 ?? 0);
  if (total.latencyMs.count > 0 && ownMs > OWN_SHARE_MAX * total.latencyMs.p50) {
    return `much of the latencies is the generator's own delay: the server may be faster than this says`;
  }
  return undefined;
}

/** What the generator itself used and delayed, in one line. */
export function generatorLine({ busy, loopDelayMs, lateMs }: LoadResult['generator']): string {
  const late = lateMs === undefined ? '' : `; began requests late by p50 ${lateMs.p50} ms, p99 ${lateMs.p99} ms`;
  const loop = `noticed answers late by p50 ${loopDelayMs.p50} ms, p99 ${loopDelayMs.p99} ms`;
  return `the generator itself: busy ${Math.round(busy * 100)} %, ${loop}${late}`;
}
