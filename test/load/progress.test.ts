import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Recorder } from '../../load/judging/recorder.js';
import { Findings } from '../../load/judging/verdicts.js';
import { defaultPlan, type Plan } from '../../load/plan.js';
import { showProgress } from '../../load/progress.js';
import type { Progress } from '../../load/run.js';

function shown(phases: readonly Progress['phase'][], isTTY = false, plan: Partial<Plan> = {}): string {
  const written: string[] = [];
  const stream = { isTTY, columns: 80, write: (text: string) => written.push(text) };
  const recorder = new Recorder(0, 60_000, plan.warmUpMs ?? 0);
  for (let count = 0; count < 30; count++) recorder.record('post', { kind: 'good' }, 0, 5);
  let phase: Progress['phase'] = 'preparing';
  const progress = (): Progress => ({ phase, passedMs: 600, recorder, findings: new Findings() });
  const end = showProgress(
    progress,
    { ...defaultPlan, durationMs: 60_000, ...plan },
    stream as unknown as NodeJS.WriteStream,
  );
  for (const next of phases) phase = next;
  end();
  return written.join('');
}

test('a load that ends before its first line prints one at its end', () => {
  assert.match(shown(['running', 'looking']), /^1 % · 50\/s · 30 good, 0 shed, 0 errors .*\n$/);
});

test('the progress of a run that its count ends first follows the count', () => {
  assert.match(shown(['running'], false, { requestsMax: 60 }), /^50 % · /);
});

test('progress mentions the warm-up, which is in no total', () => {
  assert.match(shown(['running'], false, { warmUpMs: 5_000 }), /^1 % · warming up · 0\/s · 0 good/);
});

test('a load that never began prints nothing, and a terminal’s line is erased', () => {
  assert.equal(shown([]), '');
  assert.equal(shown(['running', 'looking'], true), '\r\x1b[2K');
});
