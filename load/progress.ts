import type { Progress } from './run.js';

const EACH_MS = 1_000;

/** One line a second: rewritten in place on a terminal, a line each otherwise. Returns what ends it. */
export function showProgress(progress: () => Progress, durationMs: number, stream: NodeJS.WriteStream): () => void {
  let before = { good: 0, atMs: 0 };
  const show = () => {
    const { phase, passedMs, recorder, findings } = progress();
    const { good, shed, errors, unsent, latency } = recorder.total();
    const seconds = (passedMs - before.atMs) / 1_000;
    const perSecond = phase === 'running' && seconds > 0 ? Math.max(0, good - before.good) / seconds : 0;
    before = { good, atMs: passedMs };
    const { lost, repeated, outOfOrder, late } = findings.counts;
    const percent = Math.min(100, Math.round((passedMs / durationMs) * 100));
    const line = {
      preparing: 'preparing: follows, first posts, streams',
      running: [
        `${percent} %`,
        `${Math.round(perSecond)}/s`,
        `${good} good, ${shed} shed, ${errors} errors${unsent > 0 ? `, ${unsent} unsent` : ''}`,
        `p50 ${tidy(latency.quantileMs(0.5))} ms, p99 ${tidy(latency.quantileMs(0.99))} ms`,
        `repeated ${repeated}, out of order ${outOfOrder}, late ${late}`,
      ].join(' · '),
      looking: `looking for every post · lost ${lost}, repeated ${repeated}, out of order ${outOfOrder}, late ${late}`,
    }[phase];
    stream.write(stream.isTTY ? `\r\x1b[2K${line.slice(0, (stream.columns ?? 80) - 1)}` : `${line}\n`);
  };
  const timer = setInterval(show, EACH_MS);
  return () => {
    clearInterval(timer);
    if (stream.isTTY) stream.write('\r\x1b[2K');
  };
}

export function tidy(ms: number): string {
  return ms >= 100 ? ms.toFixed(0) : ms.toPrecision(2);
}
