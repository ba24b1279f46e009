import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { ServerProcess } from '../kit/services/server-process.js';
import { type Member, passed, type System } from './system.js';

const run = promisify(execFile);
const CLOCK_STEPS = ['+300s', '-300s'];
const PAUSE_MS_MAX = 15_000;
const PARTITION_MS_MAX = 25_000;
const DISK_MS_MAX = 10_000;
/** One start in three is killed within this time: recovery must survive a crash as well. */
const START_KILL_MS_MAX = 3_000;

type Random = () => number;
type Strike = (system: System, random: Random) => Promise<void>;

/** Each fault happens once and resolves when its cause is gone; the nodes may still be recovering then. */
export const faults: Readonly<Record<string, Strike>> = {
  kill: async (system, random) => {
    const { server } = drawn(system.members, random);
    await server.kill();
    await passed(random() * 8_000);
    await startAgain(server, random);
  },
  'kill-all': async (system, random) => {
    await Promise.all(system.members.map(({ server }) => server.kill()));
    await passed(random() * 3_000);
    await Promise.all(system.members.map(({ server }) => startAgain(server, random)));
  },
  stop: async (system, random) => {
    const { server } = drawn(system.members, random);
    await server.stop();
    await passed(random() * 2_000);
    await server.restart();
  },
  pause: async (system, random) => {
    const { pid } = drawn(system.members, random).server;
    process.kill(pid, 'SIGSTOP');
    await passed(1_000 + random() * (PAUSE_MS_MAX - 1_000));
    process.kill(pid, 'SIGCONT');
  },
  clock: async (system, random) => {
    const { clockFile } = drawn(system.members, random);
    await writeFile(clockFile, drawn(CLOCK_STEPS, random));
    await passed(3_000 + random() * 12_000);
    await writeFile(clockFile, '+0s');
  },
  partition: async (system, random) => {
    const member = drawn(system.members, random);
    await packetFilter('-A', member);
    try {
      await passed(2_000 + random() * PARTITION_MS_MAX);
    } finally {
      await packetFilter('-D', member);
    }
  },
  disk: async (system, random) => {
    const { server } = drawn(system.members, random);
    await fileLimit(server, 4_096);
    await passed(1_000 + random() * DISK_MS_MAX);
    await fileLimit(server, 'unlimited');
  },
  nats: (system, random) => system.bounceNats(random() * 6_000),
  cassandra: (system, random) => system.bounceCassandra(random() * 6_000),
};

/** A partition needs other nodes, and service faults need a cluster. */
export const CLUSTER_FAULTS = ['kill', 'kill-all', 'stop', 'pause', 'clock', 'partition', 'nats', 'cassandra'];
export const EMBEDDED_FAULTS = ['kill', 'stop', 'pause', 'clock', 'disk'];

async function startAgain(server: ServerProcess, random: Random): Promise<void> {
  while (random() < 1 / 3) {
    const starting = server.restart().catch(() => undefined);
    await passed(random() * START_KILL_MS_MAX);
    await server.kill();
    await starting;
  }
  await server.restart();
}

/** Drops the node's packets on loopback, except for answers to its HTTP clients. */
async function packetFilter(change: '-A' | '-D', { group, server }: Member): Promise<void> {
  const port = new URL(server.url).port;
  const match = ['-o', 'lo', '-p', 'tcp', '-m', 'owner', '--gid-owner', String(group), '!', '--sport', port];
  await run('iptables', [change, 'OUTPUT', ...match, '-j', 'DROP']);
}

/**
 * Limits the file size of the process, which looks like a full disk to a store. Node ignores SIGXFSZ, so writes fail.
 */
async function fileLimit(server: ServerProcess, bytes: number | 'unlimited'): Promise<void> {
  if (server.running) await run('prlimit', ['--pid', `${server.pid}`, `--fsize=${bytes}:unlimited`]);
}

function drawn<T>(choices: readonly T[], random: Random): T {
  return choices[Math.floor(random() * choices.length)] as T;
}
