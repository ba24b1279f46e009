import { newKey } from '../../../test/kit/federation/peer.js';
import type { ServerProcess } from '../../../test/kit/services/server-process.js';
import { createAccounts } from '../../accounts.js';
import { startServer } from '../../measured-server.js';
import { residentFileMib, residentMib } from '../../process-figures.js';
import type { Row } from '../../row.js';
import { get, Town } from '../../town.js';
import { storeKnown } from './known.js';

const FEW = 1_000;
const MANY = 100_000;
const MORE_MIB_MAX = 40;
const PEOPLE = 20;
/** Homes and posts before the memory is measured. */
const REQUESTS = 1_000;

/**
 * Compares a server that knows a person on each of 100,000 hosts with one that knows 1,000: resident memory after the
 * same requests. No host has anything to do with a request. Storing takes minutes with the data on a tmpfs
 * (TMPDIR).
 */
export async function benchKnownHosts(): Promise<Row[]> {
  const servers: ServerProcess[] = [];
  try {
    const figures: { ownMib: number; seconds: number }[] = [];
    for (const hosts of [FEW, MANY]) {
      const server = await startServer();
      servers.push(server);
      figures.push(await figuresOf(server, hosts));
    }
    const [few, many] = figures as [(typeof figures)[0], (typeof figures)[0]];
    const moreMib = many.ownMib - few.ownMib;
    return [
      {
        name: `resident without the store's file, ${MANY} known hosts (stored in ${many.seconds.toFixed(0)} s), more than with ${FEW}`,
        figure: `${moreMib.toFixed(0)} MiB (${many.ownMib.toFixed(0)} and ${few.ownMib.toFixed(0)})`,
        ...{ target: `≤ ${MORE_MIB_MAX} MiB`, reached: moreMib <= MORE_MIB_MAX },
      },
    ];
  } finally {
    for (const server of servers) await server.dispose();
  }
}

async function figuresOf(server: ServerProcess, hosts: number) {
  const people = await createAccounts(server, PEOPLE);
  const { publicKeyPem } = newKey();
  const seconds = await storeKnown(server, { publicKeyPem, from: 0, to: hosts, statuses: 0 });
  const { pid } = server;
  const town = Town.onServer(server, people, PEOPLE);
  await town.each('request', REQUESTS, (index) => {
    const me = people[index % PEOPLE] as (typeof people)[0];
    return index % 2 === 0 ? get('/api/v1/timelines/home', me, Array.isArray) : town.post(me, `number ${index}`);
  });
  await town.target.settled();
  return { ownMib: residentMib(pid) - residentFileMib(pid), seconds };
}
