import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { seeded } from '../../load/random.js';
import { EventStream } from '../kit/network/event-stream.js';
import { targetAt } from '../kit/network/sockets.js';
import { makePeople, type Person } from '../scenarios/cluster/people.js';
import { Actor } from './actor.js';
import { CLUSTER_FAULTS, EMBEDDED_FAULTS, faults } from './faults.js';
import { judge, streamFaults } from './judge.js';
import { Ledger } from './ledger.js';
import { insist } from './requests.js';
import { FAKETIME, passed, System } from './system.js';

// node dist/test/endurance/main.js [--nodes 3 | --embedded] [--minutes 15] [--faults kill,pause] [--seed 1]
// Strikes real processes at random moments while people use them, then compares the server with what it acknowledged.

const { values } = parseArgs({
  options: {
    embedded: { type: 'boolean', default: false },
    nodes: { type: 'string', default: '3' },
    minutes: { type: 'string', default: '15' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    faults: { type: 'string' },
  },
});

const NAMES = ['ada', 'ben', 'cleo', 'dan', 'eve', 'fay', 'gil', 'hal', 'reader'];
/** Pause between the end of one fault and the next. */
const CALM_MS = { least: 2_000, spread: 10_000 };
const LINES_MAX = 40;

const chosen = values.faults?.split(',') ?? (values.embedded ? EMBEDDED_FAULTS : CLUSTER_FAULTS);
demandTools(chosen);
const random = seeded(Number(values.seed));
const say = (text: string) => process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
say(`seed ${values.seed}, ${values.embedded ? 'embedded' : `${values.nodes} nodes`}, faults ${chosen.join(', ')}`);
const system = await System.start(values.embedded ? 'embedded' : Number(values.nodes));
try {
  const found = await play();
  for (const fault of found.slice(0, LINES_MAX)) say(fault);
  say(found.length === 0 ? 'nothing acknowledged was lost, repeated or out of order' : `${found.length} faults`);
  process.exitCode = found.length === 0 ? 0 : 1;
} finally {
  await system.stop();
}

async function play(): Promise<string[]> {
  const people = await makePeople(system.members[0]?.server.dataDir as string, NAMES);
  const reader = people.pop() as Person;
  const ledger = new Ledger();
  for (const { id } of people) {
    await insist(system.urls, 0, { method: 'POST', path: `/api/v1/accounts/${id}/follow`, token: reader.token });
    ledger.follows.add(`${reader.id} ${id}`);
  }
  const streams = await Promise.all(
    system.urls.map((url) => EventStream.resuming(targetAt(url), 'user', reader.token)),
  );
  let stopped = false;
  const crowd = people.map((person) => {
    const others = people.filter(({ id }) => id !== person.id);
    return new Actor(system.urls, person, others, ledger, random).run(() => stopped);
  });
  await strike();
  await system.ready();
  stopped = true;
  await Promise.all(crowd);
  say(`${ledger.acknowledged} acknowledged requests, ${ledger.posts.length} posts; comparing`);
  const found = [...ledger.faults];
  for (const url of system.urls) found.push(...(await judge(url, people, reader, ledger)));
  for (const stream of streams) found.push(...(await streamFaults(stream, ledger)));
  await Promise.all(streams.map((stream) => stream.close()));
  return found;
}

async function strike(): Promise<void> {
  const end = Date.now() + Number(values.minutes) * 60_000;
  while (Date.now() < end) {
    await passed(CALM_MS.least + random() * CALM_MS.spread);
    const name = chosen[Math.floor(random() * chosen.length)] as string;
    say(name);
    await faults[name]?.(system, random);
  }
}

/** Ends with one line if this machine lacks the tools of a fault. */
function demandTools(names: readonly string[]): void {
  const unknown = names.filter((name) => faults[name] === undefined);
  const lacks = [
    ...unknown.map((name) => `there is no fault ${name}`),
    ...(existsSync(FAKETIME) ? [] : [`install the package libfaketime: ${FAKETIME} is missing`]),
    ...(names.includes('partition') && spawnSync('iptables', ['-L'], { stdio: 'ignore' }).status !== 0
      ? ['partition needs iptables and the rights of root']
      : []),
  ];
  if (lacks.length === 0) return;
  process.stderr.write(`${lacks.join('\n')}\n`);
  process.exit(2);
}
