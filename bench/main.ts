import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { benchBulk } from './accounts.js';
import { benchAsk } from './ask.js';
import { benchHttp } from './http.js';
import { measureJournal } from './journal.js';
import { printTable, type Row } from './row.js';
import { benchStart } from './start.js';

// npm run bench [-- NAME…] [--out FILE]: all benchmarks, or those named; a table, and JSON with --out.

/** A local ask, microseconds. */
const ASK_US_MAX = 20;
/** Durable appends a second at 64 in flight. */
const APPENDS_MIN = 25_000;

const benchmarks: Readonly<Record<string, () => Promise<Row[]>>> = {
  start: benchStart,
  ask: async () =>
    (await benchAsk()).map((figures) => ({
      name: figures.name,
      perSecond: figures.perSecond,
      p50Ms: figures.p50Us / 1_000,
      p99Ms: figures.p99Us / 1_000,
      cpuSecondsPer1000: figures.cpuSecondsPer1000,
      target: `p50 ≤ ${ASK_US_MAX} µs`,
      ...(figures.name.includes('64')
        ? { reached: 1e6 / figures.perSecond <= ASK_US_MAX }
        : { reached: figures.p50Us <= ASK_US_MAX }),
    })),
  journal: async () =>
    (await measureJournal(tmpdir())).map((figures) => ({
      name: `durable journal appends, ${figures.inFlight} in flight (whole process)`,
      perSecond: figures.perSecond,
      p50Ms: figures.p50Ms,
      p99Ms: figures.p99Ms,
      cpuSecondsPer1000: figures.cpuSecondsPer1000,
      ...(figures.inFlight === 64 ? { target: `≥ ${APPENDS_MIN}/s`, reached: figures.perSecond >= APPENDS_MIN } : {}),
    })),
  bulk: benchBulk,
  http: benchHttp,
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { out: { type: 'string' } } });
const unknown = positionals.find((name) => !Object.hasOwn(benchmarks, name));
if (unknown !== undefined) {
  process.stderr.write(`no benchmark ${unknown}; there are ${Object.keys(benchmarks).join(', ')}\n`);
  process.exit(2);
}
const machine = {
  cpu: cpus()[0]?.model,
  cores: cpus().length,
  memoryGib: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
  loadBefore: loadavg().map((load) => Number(load.toFixed(2))),
};
const rows: Row[] = [];
for (const [name, run] of Object.entries(benchmarks)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  process.stderr.write(`${name} …\n`);
  rows.push(...(await run()));
}
process.stdout.write(`${JSON.stringify(machine)}\n${printTable(rows)}\n`);
if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify({ machine, rows }, null, 2)}\n`);
process.exitCode = rows.some((row) => row.reached === false) ? 1 : 0;
