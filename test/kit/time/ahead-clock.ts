// Loaded into a node before anything else: sets its wall clock ahead by the number in a file, which it reads
// repeatedly, so that a test need not wait for minutes.
import { readFileSync } from 'node:fs';

const file = process.env.TEST_AHEAD_FILE ?? '';
const READ_EVERY_MS = 50;
const now = Date.now;
let aheadMs = 0;

function read(): void {
  try {
    aheadMs = Number(readFileSync(file, 'utf8'));
  } catch {
    // The file does not exist yet.
  }
}

read();
setInterval(read, READ_EVERY_MS).unref();
Date.now = () => now() + aheadMs;
