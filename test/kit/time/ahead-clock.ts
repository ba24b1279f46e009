// Loaded into a node before anything else: its clock on the wall is ahead by what a file says, read over and over, so
// that a test need not wait for what comes in five minutes.
import { readFileSync } from 'node:fs';

const file = process.env.TEST_AHEAD_FILE ?? '';
const READ_EVERY_MS = 50;
const now = Date.now;
let aheadMs = 0;

function read(): void {
  try {
    aheadMs = Number(readFileSync(file, 'utf8'));
  } catch {
    // There is none yet.
  }
}

read();
setInterval(read, READ_EVERY_MS).unref();
Date.now = () => now() + aheadMs;
