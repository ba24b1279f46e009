import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { Unavailable } from '../actors/domain/problem.js';
import { socketPath } from '../transport/unix-socket.js';
import { type OperationName, type Operations, Refused } from './operations.js';

/** The socket of a running node for its operators: only users who may read the data folder reach it. */
const SOCKET = 'node.sock';

/** Maximum size of one operation's input: an account takes some hundred bytes. */
export const INPUT_BYTES_MAX = 64 * 1_024;

export type Operate = <N extends OperationName>(name: N, input: Operations[N]['in']) => Promise<Operations[N]['out']>;

/** Serves the operations on the socket until the returned function is called. */
export async function serveOperators(dataDir: string, run: Operate): Promise<() => Promise<void>> {
  const { path, release } = await socketPath(dataDir, SOCKET);
  await rm(path, { force: true });
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing, run));
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    // Binding creates the file at once, so the umask must already exclude other users.
    const usual = process.umask(0o177);
    server.listen(path, done);
    process.umask(usual);
  });
  return async () => {
    await new Promise<void>((done) => {
      server.closeAllConnections();
      server.close(() => done());
    });
    await release();
  };
}

async function answer(incoming: IncomingMessage, outgoing: ServerResponse, run: Operate): Promise<void> {
  const reply = (status: number, body: object) => {
    outgoing.writeHead(status, { 'content-type': 'application/json' });
    outgoing.end(JSON.stringify(body));
  };
  try {
    const name = (incoming.url ?? '/').slice(1) as OperationName;
    reply(200, await run(name, JSON.parse(await text(incoming))));
  } catch (error) {
    if (error instanceof Refused || error instanceof SyntaxError) reply(422, { error: error.message });
    else if (error instanceof Unavailable) reply(503, { error: error.message });
    else reply(500, { error: String(error) });
  }
}

async function text(incoming: IncomingMessage): Promise<string> {
  let received = '';
  for await (const chunk of incoming) {
    received += chunk;
    if (received.length > INPUT_BYTES_MAX) throw new Refused('too much input');
  }
  return received;
}

/** Returns a client of the node that runs on this data folder; `nobodyThere` recognises the error when none does. */
export function operatorClient(dataDir: string): Operate {
  return async (name, input) => {
    const { path, release } = await socketPath(dataDir, SOCKET);
    return post(path, name, input).finally(release);
  };
}

function post<N extends OperationName>(
  socketPath: string,
  name: N,
  input: Operations[N]['in'],
): Promise<Operations[N]['out']> {
  return new Promise((done, fail) => {
    const call = request({ socketPath, path: `/${name}`, method: 'POST' }, (response) => {
      text(response).then((body) => {
        const parsed = JSON.parse(body) as { error?: string };
        if (response.statusCode === 200) done(parsed as never);
        else fail(new Refused(parsed.error ?? `status ${response.statusCode}`));
      }, fail);
    });
    call.once('error', fail);
    call.end(JSON.stringify(input));
  });
}

/** Returns true if an error of the client means that no node runs there. */
export function nobodyThere(error: unknown): boolean {
  const code = (error as { code?: string }).code;
  return code === 'ENOENT' || code === 'ECONNREFUSED';
}
