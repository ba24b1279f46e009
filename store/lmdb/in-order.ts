/** Texts that are sorted at once: some milliseconds of the event loop. */
export const RUN_TEXTS = 2_048;

/**
 * Yields different texts in order. Sorts them in runs, and yields undefined after each full run, so that the caller can
 * let other work go on; then merges the runs step by step. Sorting 60,000 texts at once takes 80 ms.
 */
export function* inOrder(texts: Iterable<string>): Generator<string | undefined> {
  const runs: string[][] = [];
  let run: string[] = [];
  for (const text of texts) {
    run.push(text);
    if (run.length < RUN_TEXTS) continue;
    runs.push(run.sort());
    run = [];
    yield undefined;
  }
  runs.push(run.sort());
  yield* merged(runs);
}

function* merged(runs: readonly (readonly string[])[]): Generator<string> {
  if (runs.length < 2) {
    yield* runs[0] ?? [];
    return;
  }
  const middle = runs.length >>> 1;
  const [left, right] = [merged(runs.slice(0, middle)), merged(runs.slice(middle))];
  let [a, b] = [left.next(), right.next()];
  while (!a.done || !b.done) {
    if (!a.done && (b.done || a.value < b.value)) {
      yield a.value;
      a = left.next();
    } else if (!b.done) {
      yield b.value;
      b = right.next();
    }
  }
}
