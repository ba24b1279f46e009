import type { Plan } from './plan.js';
import type { Progress } from './run.js';

const EACH_MS = 1_000;

/**
 * Prints one line a second: rewritten in place on a terminal, a new line otherwise. Returns a function that ends it and
 * prints the line of a load that took less than a second.
 */
export function showProgress(progress: () => Progress, plan: Plan, stream: NodeJS.WriteStream): () => void {
  const { durationMs, requestsMax, warmUpMs } = plan;
  let before = { good: 0, atMs: 0 };
  let wasRunningShown = false;
  const running = ({ passedMs, recorder, findings }: Progress) => {
    wasRunningShown = true;
    const { good, shed, errors, unsent, latency } = recorder.total();
    // The criterion that ends the run first determines the share.
    const share = Math.min(1, Math.max(passedMs / durationMs, recorder.recorded / requestsMax));
    const seconds = (passedMs - before.atMs) / 1_000;
    const perSecond = seconds > 0 ? Math.max(0, good - before.good) / seconds : 0;
    before = { good, atMs: passedMs };
    const { repeated, outOfOrder, late } = findings.counts;
    return [
      `${Math.round(share * 100)} %`,
      ...(passedMs < warmUpMs ? ['warming up'] : []),
      `${Math.round(perSecond)}/s`,
      `${good} good, ${shed} shed, ${errors} errors${unsent > 0 ? `, ${unsent} unsent` : ''}`,
      `p50 ${tidy(latency.quantileMs(0.5))} ms, p99 ${tidy(latency.quantileMs(0.99))} ms`,
      `repeated ${repeated}, out of order ${outOfOrder}, late ${late}`,
    ].join(' · ');
  };
  const looking = ({ findings }: Progress) => {
    const { lost, repeated, outOfOrder, late } = findings.counts;
    return `looking for every post · lost ${lost}, repeated ${repeated}, out of order ${outOfOrder}, late ${late}`;
  };
  const show = () => {
    const now = progress();
    const line = { preparing: () => 'preparing: follows, first posts, streams', running, looking }[now.phase](now);
    stream.write(stream.isTTY ? `\r\x1b[2K${line.slice(0, (stream.columns ?? 80) - 1)}` : `${line}\n`);
  };
  const timer = setInterval(show, EACH_MS);
  return () => {
    clearInterval(timer);
    const now = progress();
    if (stream.isTTY) stream.write('\r\x1b[2K');
    else if (!wasRunningShown && now.phase !== 'preparing') stream.write(`${running(now)}\n`);
  };
}

export function tidy(ms: number): string {
  return ms >= 100 ? ms.toFixed(0) : ms.toPrecision(2);
}
