import { WebSocket } from 'undici';
import { EventStream } from '../../kit/network/event-stream.js';
import { targetAt } from '../../kit/network/sockets.js';

const OPEN_MS_MAX = 10_000;

/** An open stream. */
export interface OpenStream {
  readonly ended: boolean;
}

/** Opens a WebSocket and a stream of server-sent events of the account at every node. */
export async function streamsEverywhere(urls: readonly string[], token: string): Promise<readonly OpenStream[]> {
  const both = urls.flatMap((url) => [EventStream.open(targetAt(url), 'user', token), socketAt(url, token)]);
  return Promise.all<OpenStream>(both);
}

async function socketAt(url: string, token: string): Promise<OpenStream> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/streaming?stream=user`, [token]);
  const opened = new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  const late = AbortSignal.timeout(OPEN_MS_MAX);
  await Promise.race([opened, new Promise((_resolve, reject) => late.addEventListener('abort', reject))]);
  return {
    get ended() {
      return socket.readyState === WebSocket.CLOSED;
    },
  };
}
