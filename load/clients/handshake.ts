import { type Agent, type Dispatcher, WebSocket } from 'undici';
import { type Answer, NoAnswer, retryAfterMsOf } from './client.js';

/**
 * Opens a WebSocket.
 * @returns the socket, or the HTTP answer that came instead; a WebSocket itself reports only that it failed
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
      // An ordinary page instead of a stream is not a good answer, whatever its status.
      if (instead === undefined || instead.status < 300) reject(new NoAnswer('no stream'));
      else resolve(instead);
    });
  });
}

type Heard = (status: number, retryAfter: string | string[] | undefined) => void;

/** Wraps the agent to report answers that are not handshakes. */
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
