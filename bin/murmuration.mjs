#!/usr/bin/env -S node --v8-pool-size=0 --max-semi-space-size=32 --heap-growing-percent=150 --no-allocation-site-pretenuring
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const built = new URL('../dist/main.js', import.meta.url);
if (!existsSync(built)) {
  const prepare = fileURLToPath(new URL('../scripts/prepare.mjs', import.meta.url));
  execFileSync(process.execPath, [prepare], { stdio: ['ignore', 2, 2] });
}
await import(built.href);
