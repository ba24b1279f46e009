import { setTimeout as sleep } from 'node:timers/promises';
import { createAccounts } from '../accounts.js';
import { startServer } from '../measured-server.js';
import { cpuSeconds, residentFileMib, residentMib } from '../process-figures.js';
import type { Row } from '../row.js';
import { at, settled } from '../town.js';
import { StreamSocket } from './stream-socket.js';

/** The client and the server need a file descriptor each; a shell's soft limit may be lower (`ulimit -n`). */
const SOCKETS = 10_000;
const ACCOUNTS = 2_500;
const MIB_MAX = 150;
const OPENED_AT_A_TIME = 100;
/** Time for garbage of the handshakes to be collected, and over which idle CPU time is measured. */
const IDLE_MS = 10_000;

/** Measures the memory of idle WebSockets. */
export async function benchIdleSockets(): Promise<Row[]> {
  const server = await startServer();
  const sockets: StreamSocket[] = [];
  try {
    const accounts = await createAccounts(server, ACCOUNTS);
    await settled([server.dataDir]);
    await sleep(IDLE_MS);
    const mib = () => residentMib(server.pid) - residentFileMib(server.pid);
    const before = mib();
    const port = Number(new URL(server.url).port);
    for (let from = 0; from < SOCKETS; from += OPENED_AT_A_TIME) {
      const some = Array.from(
        { length: OPENED_AT_A_TIME },
        (_, index) => new StreamSocket(port, 'user', at(accounts, from + index).token, () => {}),
      );
      sockets.push(...some);
      await Promise.all(some.map(({ opened }) => opened));
    }
    await sleep(IDLE_MS);
    const [more, cpu] = [mib() - before, cpuSeconds(server.pid)];
    await sleep(IDLE_MS);
    const idle = (cpuSeconds(server.pid) - cpu) / (IDLE_MS / 1_000);
    const lost = sockets.filter(({ closed }) => closed).length;
    if (lost > 0) throw new Error(`the server closed ${lost} idle sockets`);
    return [
      {
        name: `${SOCKETS} idle WebSockets of ${ACCOUNTS} accounts`,
        figure: `${more.toFixed(0)} MiB, ${((more * 1_024) / SOCKETS).toFixed(1)} KiB each; ${(idle * 100).toFixed(1)} % of a core`,
        target: `≤ ${MIB_MAX} MiB`,
        reached: more <= MIB_MAX,
      },
    ];
  } finally {
    for (const socket of sockets) socket.close();
    await server.dispose();
  }
}
