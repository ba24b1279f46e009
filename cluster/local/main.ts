import { rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { socketPath } from '../../transport/unix-socket.js';
import { Supervisor } from './supervisor.js';

// npm run cluster -- [--nodes 3] [--cassandra 3] [--port 3000] [--dir ./data-cluster]
// npm run cluster -- start node2|cassandra-2|nats [--dir ./data-cluster]

/** Maximum number of nodes, and of Cassandra nodes, that fit one machine. */
const PROCESSES_MAX = 9;
const SOCKET = 'supervisor.sock';
const USAGE = `usage: [--nodes 3] [--cassandra 3] [--port 3000] [--dir DIR], or start NAME [--dir DIR]\n`;

const { values, positionals } = given();
const dir = resolve(values.dir);
const [command, name] = positionals;

if (command === 'start' && name !== undefined) process.exitCode = await askSupervisor(name);
else if (command === undefined) await supervise();
else refuse(`there is no command ${positionals.join(' ')}`);

function given() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        nodes: { type: 'string', default: '3' },
        cassandra: { type: 'string', default: '3' },
        port: { type: 'string', default: '3000' },
        dir: { type: 'string', default: './data-cluster' },
      },
    });
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function refuse(fault: string): never {
  process.stderr.write(`${fault}\n${USAGE}`);
  process.exit(2);
}

function wholeNumber(flag: 'nodes' | 'cassandra' | 'port', max: number): number {
  const number = Number(values[flag]);
  if (!Number.isInteger(number) || number < 1 || number > max) refuse(`--${flag} must be a number from 1 to ${max}`);
  return number;
}

async function supervise(): Promise<void> {
  const main = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'main.js');
  const supervisor = new Supervisor({
    nodes: wholeNumber('nodes', PROCESSES_MAX),
    cassandra: wholeNumber('cassandra', PROCESSES_MAX),
    port: wholeNumber('port', 65_535 - PROCESSES_MAX),
    dir,
    main,
  });
  let ending = false;
  const end = (code: number) => {
    if (ending) return;
    ending = true;
    supervisor.stop().then(
      () => process.exit(code),
      (error: Error) => {
        process.stderr.write(`${error.stack}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => end(0));
  process.on('SIGINT', () => end(0));
  try {
    await supervisor.start();
    await listen(supervisor);
    process.stdout.write(`ready: ${join(dir, 'cluster.json')}\n`);
  } catch (error) {
    if (!ending) process.stderr.write(`${(error as Error).stack}\n`);
    end(1);
  }
}

/** Serves `start NAME` requests of other runs of this command. */
async function listen(supervisor: Supervisor): Promise<void> {
  const { path, release } = await socketPath(dir, SOCKET);
  await rm(path, { force: true });
  const server = createServer((incoming, outgoing) => {
    supervisor.restart((incoming.url ?? '/').slice(1)).then(
      () => outgoing.writeHead(200).end(),
      (error: Error) => outgoing.writeHead(409).end(error.message),
    );
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(path, done);
  });
  await release();
}

async function askSupervisor(node: string): Promise<number> {
  try {
    const { path, release } = await socketPath(dir, SOCKET);
    return await post(path, node).finally(release);
  } catch (error) {
    process.stderr.write(`no cluster runs in ${dir}: ${(error as Error).message}\n`);
    return 1;
  }
}

/** Sends the request and returns the exit code. */
function post(path: string, node: string): Promise<number> {
  return new Promise((done, fail) => {
    const call = request({ socketPath: path, path: `/${node}`, method: 'POST' }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      if (response.statusCode !== 200) process.stderr.write(`${text}\n`);
      done(response.statusCode === 200 ? 0 : 1);
    });
    call.once('error', fail);
    call.end();
  });
}
