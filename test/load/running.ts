import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tied } from '../../cluster/local/process.js';
import type { LoadResult } from '../../load/judging/result.js';
import { program, withoutSettings } from '../kit/services/server-process.js';

/** Timeout of a run, which takes some seconds. */
const RUN_MS_MAX = 300_000;

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** undefined when the command wrote none. */
  readonly result: LoadResult | undefined;
  /** The page with plots. */
  readonly report: string | undefined;
}

/** Runs `murmuration load` as a user does. @param lines the users' file */
export function load(lines: string | undefined, ...args: readonly string[]): Promise<Ran> {
  return run(undefined, lines, args);
}

/** Does the same, and sends a SIGINT as soon as the progress shows `moment`. */
export function interrupted(moment: RegExp, lines: string, ...args: readonly string[]): Promise<Ran> {
  return run(moment, lines, args);
}

async function run(moment: RegExp | undefined, lines: string | undefined, args: readonly string[]): Promise<Ran> {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-load-'));
  try {
    const [users, json, report] = ['users.jsonl', 'result.json', 'report.html'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const given = lines === undefined ? [] : ['--users', users];
    if (lines !== undefined) await writeFile(users, lines);
    const command = [program, 'load', ...given, '--json', json, '--report', report, ...args];
    const child = spawn(...tied(process.execPath, command), {
      env: withoutSettings(),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: RUN_MS_MAX,
    });
    let sent = false;
    const [stdout, stderr] = [child.stdout, child.stderr].map(async (stream) => {
      let text = '';
      for await (const chunk of stream.setEncoding('utf8')) {
        text += chunk;
        if (stream === child.stderr && sent === false && moment?.test(text)) sent = child.kill('SIGINT');
      }
      return text;
    });
    const [code] = (await once(child, 'close')) as [number | null];
    const written = await readFile(json, 'utf8').catch(() => undefined);
    return {
      code,
      stdout: (await stdout) ?? '',
      stderr: (await stderr) ?? '',
      result: written === undefined ? undefined : (JSON.parse(written) as LoadResult),
      report: await readFile(report, 'utf8').catch(() => undefined),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
