import { rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Supervisor } from './supervisor.js';

// npm run cluster -- [--nodes 3] [--cassandra 3] [--port 3000] [--dir ./data-cluster]
// npm run cluster -- start NAME [--dir ./data-cluster]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    nodes: { type: 'string', default: '3' },
    cassandra: { type: 'string', default: '3' },
    port: { type: 'string', default: '3000' },
    dir: { type: 'string', default: './data-cluster' },
  },
});
const dir = resolve(values.dir);
const socket = join(dir, 'supervisor.sock');
const [command, name] = positionals;

if (command === 'start' && name !== undefined) process.exitCode = await askSupervisor(name);
else if (command === undefined) await supervise();
else {
  process.stderr.write('usage: [--nodes 3] [--cassandra 3] [--port 3000] [--dir DIR], or start NAME [--dir DIR]\n');
  process.exitCode = 2;
}

async function supervise(): Promise<void> {
  const main = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'main.js');
  const count = (text: string) => Math.max(1, Math.min(9, Math.floor(Number(text)) || 1));
  const supervisor = new Supervisor({
    nodes: count(values.nodes),
    cassandra: count(values.cassandra),
    port: Number(values.port),
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
    process.stderr.write(`${(error as Error).stack}\n`);
    end(1);
  }
}

/** Takes `start NAME` from another run of this command. */
async function listen(supervisor: Supervisor): Promise<void> {
  await rm(socket, { force: true });
  const server = createServer((incoming, outgoing) => {
    supervisor.startNode((incoming.url ?? '/').slice(1)).then(
      () => outgoing.writeHead(200).end(),
      (error: Error) => outgoing.writeHead(409).end(error.message),
    );
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(socket, done);
  });
}

function askSupervisor(node: string): Promise<number> {
  return new Promise((done) => {
    const call = request({ socketPath: socket, path: `/${node}`, method: 'POST' }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      if (response.statusCode !== 200) process.stderr.write(`${text}\n`);
      done(response.statusCode === 200 ? 0 : 1);
    });
    call.once('error', (error) => {
      process.stderr.write(`no cluster runs in ${dir}: ${error.message}\n`);
      done(1);
    });
    call.end();
  });
}
