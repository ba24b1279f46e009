import { type Agent, type Dispatcher, WebSocket } from 'undici';
import { type Answer, NoAnswer, retryAfterMsOf } from './client.js';

/**
 * Opens a WebSocket.
 * @returns it, or the answer that came instead; a WebSocket itself does not say more than that it failed
 * @throws NoAnswer
 */
export function opened(
  agent: Agent,
  url: string,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<WebSocket | Answer> {
  let instead: Answer | undefined;
  const dispatcher = overhearing(agent, (status, retryAfter) => {
    instead = { status, retryAfterMs: retryAfterMsOf(retryAfter), text: '' };
  });
  const socket = new WebSocket(url, { headers: { ...headers }, dispatcher });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new NoAnswer('timeout'));
      socket.close();
    }, timeoutMs);
    socket.addEventListener('open', () => {
      clearTimeout(timer);
      resolve(socket);
    });
    socket.addEventListener('error', () => {
      clearTimeout(timer);
      // A page where a stream should be is no good answer, whatever its status.
      if (instead === undefined || instead.status < 300) reject(new NoAnswer('no stream'));
      else resolve(instead);
    });
  });
}

type Heard = (status: number, retryAfter: string | string[] | undefined) => void;

/** The agent, telling of answers that are no handshakes. */
function overhearing(agent: Agent, heard: Heard): Dispatcher {
  return agent.compose((dispatch) => (options, handler) => {
    const told: Dispatcher.DispatchHandler = {
      onRequestStart: (...args) => handler.onRequestStart?.(...args),
      onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
      onResponseStart: (controller, status, headers, text) => {
        heard(status, headers['retry-after']);
        handler.onResponseStart?.(controller, status, headers, text);
      },
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    };
    return dispatch(options, told);
  });
}
