import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/**
 * Programs: the whole command line, and the load command alone, which starts in half the time without what nodes need.
 * scripts/bundle.mjs writes each one, with all JavaScript that it needs, to the file NAME.cjs, and the code that V8 had
 * compiled of it then to NAME.cjs.compiled.
 */
export type ProgramName = 'command-line' | 'load-command';
/** scripts/build/compile.mjs writes this file after the modules. */
const MODULES_STAMP = '.modules';

/**
 * Flags of every Node process that we start (ADR 12). New objects have twice the usual space: most garbage of a post
 * dies before the space is full, and is never copied. Old objects are collected at two and a half times the live size,
 * not four times, which V8 uses for busy programs. Objects are always created young: a burst in which requests wait would
 * make V8 create the objects of all later requests old, and each old object keeps what it refers to until a full
 * collection.
 */
export const V8_FLAGS = [
  '--max-semi-space-size=32',
  '--heap-growing-percent=150',
  '--no-allocation-site-pretenuring',
] as const;

/**
 * Options of every Node process that we start (ADR 12): the flags, and a thread for V8's work on each core but one. Node
 * has four threads otherwise; on two cores these take the event loop's core while V8 collects the whole heap.
 */
export const NODE_FLAGS = ['--v8-pool-size=0', ...V8_FLAGS] as const;

interface CommandLine {
  /** Runs `node main.js WORDS…`; returns the exit code. */
  readonly commandLine: (words: readonly string[]) => Promise<number>;
}

/** A bundle that was run: its exports, and the script from which its compiled code can be saved. */
export interface Bundle {
  readonly exports: CommandLine;
  readonly script: Script;
}

/**
 * Loads the program in `folder` that `words` need: its bundle if a build made one, else its modules one by one (in a
 * developer's own build, and with --enable-source-maps, where traces name the sources). Reading, linking and compiling
 * some 400 modules takes half of a start.
 */
export async function loadCommandLine(folder: string, words: readonly string[] = []): Promise<CommandLine> {
  const name = words[0] === 'load' ? 'load-command' : 'command-line';
  if (!process.sourceMapsEnabled && hasFreshBundle(folder, name)) return runBundle(folder, name).exports;
  return name === 'load-command' ? import('../load/command.js') : import('./command-line.js');
}

/**
 * Runs a bundle.
 * @param compiled code of an earlier run, by default that of the build; V8 ignores code of another version or with other
 *   flags
 */
export function runBundle(
  folder: string,
  name: ProgramName,
  compiled = readIfThere(join(folder, `${name}.cjs.compiled`)),
): Bundle {
  // V8 accepts compiled code only from a process with the same flags; setting them here changes nothing else.
  for (const flag of V8_FLAGS) setFlagsFromString(flag);
  const path = join(folder, `${name}.cjs`);
  // The build writes the bundle in ASCII (scripts/ascii.mjs): V8 reads a Latin-1 string fastest and in half the memory.
  const source = readFileSync(path, 'latin1');
  const wrapped = `(function (exports, require, module, __filename, __dirname) { ${source}\n})`;
  const script = new Script(wrapped, { filename: path, ...(compiled === undefined ? {} : { cachedData: compiled }) });
  const module: { exports: unknown } = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(path), module, path, dirname(path));
  return { exports: module.exports as Bundle['exports'], script };
}

/** Returns false for a bundle that is older than the modules: it was built from other sources. */
export function hasFreshBundle(folder: string, name: ProgramName = 'command-line'): boolean {
  const bundle = statSync(join(folder, `${name}.cjs`), { throwIfNoEntry: false });
  const modules = statSync(join(folder, MODULES_STAMP), { throwIfNoEntry: false });
  return bundle !== undefined && (modules === undefined || modules.mtimeMs <= bundle.mtimeMs);
}

function readIfThere(path: string): Buffer | undefined {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? undefined : readFileSync(path);
}
