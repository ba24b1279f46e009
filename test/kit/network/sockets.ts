import { type Answered, type Asked, askBy, type TestServer } from '../services/server.js';

/** Returns the address at which a server of this process listens. */
export const urlOf = ({ node }: TestServer): string => `http://127.0.0.1:${node.server?.port}`;

/** Returns the target of requests that go to an address over sockets. */
export function targetAt(url: string): Asked {
  const send: Asked['send'] = (path, init) => fetch(`${url}${path}`, init);
  return { send, ask: (...request) => askBy(send, ...request) };
}

/** Sends one request to an address over a socket, and reads its whole answer. */
export const askAt = (url: string, ...request: Parameters<Asked['ask']>): Promise<Answered> =>
  targetAt(url).ask(...request);
