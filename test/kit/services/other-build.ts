import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = process.cwd();

/** The script that Node runs instead of main.js. */
const MAIN = `process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= '65536';
require('./command-line.cjs').commandLine(process.argv.slice(2)).then((code) => { process.exitCode = code; });
`;

/** The program of these sources as another version of it, in a folder of its own. */
export interface OtherBuild {
  readonly main: string;
  remove(): Promise<void>;
}

/** Builds the program. @param definitions names that cluster/format.ts declares, with their values */
export async function otherBuild(definitions: Readonly<Record<string, unknown>>): Promise<OtherBuild> {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-other-build-'));
  const defined = Object.entries(definitions).flatMap(([name, value]) => [
    '--define',
    `${name}=${JSON.stringify(value)}`,
  ]);
  await run(process.execPath, ['scripts/bundle.mjs', folder, ...defined], { cwd: root });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const main = join(folder, 'main.cjs');
  await writeFile(main, MAIN);
  return { main, remove: () => rm(folder, { recursive: true, force: true }) };
}
