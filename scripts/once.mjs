// Remembers in .cache which steps of an installation have completed. Uses only Node's built-in modules.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Runs `action` unless it has completed for the same inputs before. Resolves when it has. */
export function once(name, inputs, product, action) {
  const hash = createHash('sha256');
  for (const input of inputs) hash.update(input);
  const digest = hash.digest('hex');
  const stamp = join('.cache', `${name}.stamp`);
  if (existsSync(product) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return undefined;
  const completed = () => {
    mkdirSync('.cache', { recursive: true });
    writeFileSync(stamp, digest);
  };
  const running = action();
  return running === undefined ? completed() : running.then(completed);
}
