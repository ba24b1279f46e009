import { openLoop, requestText } from '../open-loop.js';

// Requests of local people at a fixed rate, in a process of its own: the generator of other servers' activities must
// not delay their measurement. local-requests.ts starts it.

export interface ProbeWish {
  readonly port: number;
  readonly tokens: readonly string[];
  readonly perSecond: number;
  /** True: only posts; otherwise homes and posts in turn. */
  readonly onlyPosts?: boolean;
}

/** Milliseconds of each request, in the order of sending, and the number of answers other than 200. */
export interface Probed {
  readonly timesMs: readonly number[];
  readonly failed: number;
}

const { port, tokens, perSecond, onlyPosts = false } = JSON.parse(process.argv[2] ?? '{}') as ProbeWish;
let number = 0;
const next = (): string => {
  const token = tokens[number++ % tokens.length] ?? '';
  if (!onlyPosts && number % 2 === 0) return requestText('GET', '/api/v1/timelines/home', token);
  return requestText('POST', '/api/v1/statuses', token, { status: `local ${number}` });
};

process.on('message', (seconds: number) => {
  void openLoop(port, perSecond, seconds, next).then((outcomes) => {
    const failed = outcomes.filter(({ status }) => status !== 200).length;
    process.send?.({ timesMs: outcomes.map(({ tookMs }) => tookMs), failed } satisfies Probed);
  });
});
process.on('disconnect', () => process.exit(0));
