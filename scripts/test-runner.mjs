// Loads node:test, and controls its hook on every promise. While a file is imported, the hook tells the runner to which
// file a test belongs. While tests run, it only finds the test of an uncaught error, and takes 40 to 70 % of the CPU time
// of tests that create many promises: half a year of a server took 56 s instead of 16 s. Without the hook an uncaught
// error still fails its process, with its message: see scripts/turns/turns.mjs.
import hooks from 'node:async_hooks';
import { createRequire } from 'node:module';

const { createHook } = hooks;
let hook;
hooks.createHook = (callbacks) => {
  hook = createHook(callbacks);
  return hook;
};
/** The test runner creates its hook when it defines the first test. */
const { describe } = createRequire(import.meta.url)('node:test');

process.on('uncaughtExceptionMonitor', (error) => console.error(error));
process.on('unhandledRejection', (error) => console.error(error));

/** Runs the tests of a file as a suite of its own. */
export async function runFile(name, load) {
  hook?.enable();
  await describe(name, async () => {
    hooks.createHook = createHook;
    await load();
    hook?.disable();
  });
}
