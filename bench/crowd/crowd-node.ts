import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { makeId } from '../../actors/domain/ids.js';
import { isProblem } from '../../actors/domain/problem.js';
import { renderHtml } from '../../actors/domain/text/plain-text.js';
import { readSettings } from '../../cli/settings.js';
import { type Node, startNode } from '../../compose/node.js';
import { until } from '../../test/kit/time/until.js';
import { followersOf, makeGraph, transposed } from '../graph.js';
import type { AnswerTo, CrowdWish, Question } from './crowd.js';

// A node as it is started for users, with the open rings of a whole social graph: its state once every account has read
// its home. crowd.ts starts it, controls it over IPC, and measures it from outside.

/**
 * Ids that a ring holds; `FILLERS` non-existent authors fill all rings with old ids, below the size of large accounts.
 */
const RING_IDS = 800;
const FILLERS = 8;
const SETTLE_MS_MAX = 120_000;
const DELIVERY_MS_MAX = 60_000;

const wish = JSON.parse(process.argv[2] ?? '{}') as CrowdWish;
const ids = readFileSync(wish.idsFile, 'utf8').trim().split('\n');
const settings = readSettings(
  {
    ...{ DATA_DIR: wish.dataDir, PORT: wish.port, BASE_URL: `http://127.0.0.1:${wish.port}` },
    ...{ RATE_LIMITS: 'off', FEDERATION_ALLOW_CIDRS: 'loopback' },
  },
  {},
);
const node = await startNode(settings, pino({ level: 'warn' }, pino.destination(2)));
await node.listen();
const audiences = openRings(node);
setFlagsFromString('--expose-gc');
// Collects the garbage of the set-up, such as the graph, which is not the node's.
runInNewContext('gc')();

const answers: { [K in keyof Question]: (question: Question[K]) => Promise<AnswerTo[K]> } = {
  post,
  async attach({ author, rings }) {
    for (const viewer of ids.slice(0, rings)) await node.rings.follow(viewer, author);
    return {};
  },
  async settled() {
    await until('the effects are done', () => node.runtime.metrics.unsettled === 0 || undefined, SETTLE_MS_MAX);
    return {};
  },
  figures: async () => ({ ...node.rings.figures }),
};
process.on('message', ({ name, question }: { name: keyof Question; question: never }) => {
  answers[name](question).then(
    (answer) => process.send?.({ answer }),
    (error: Error) => process.send?.({ error: String(error.stack) }),
  );
});
process.on('disconnect', () => void node.drain().finally(() => process.exit(0)));
process.send?.({ answer: {} });

/** Opens the rings; returns the number of rings that receive each account's posts, including its own. */
function openRings({ rings }: Node): Uint32Array {
  const { accounts, seed, averageFanOut, spared } = wish;
  const graph = makeGraph({ accounts, seed, averageFanOut });
  const followed = transposed(graph);
  const fillers = Array.from({ length: FILLERS }, (_, index) => makeId(index + 1, 0, 0));
  const known = new Set(spared);
  for (let viewer = 0; viewer < accounts; viewer++) {
    if (known.has(viewer)) continue;
    const authors = [ids[viewer] as string, fillers[viewer % FILLERS] as string];
    for (const author of followersOf(followed, viewer)) authors.push(ids[author] as string);
    rings.open(ids[viewer] as string, authors, [], true);
  }
  for (let number = 0; number < RING_IDS; number++) {
    for (const filler of fillers) rings.deliver(filler, makeId(1_000 + number, 0, 0));
  }
  return Uint32Array.from({ length: accounts }, (_, author) => followersOf(graph, author).length + 1);
}

/** Posts through the account actors, as the gateway does. */
async function post({ authors, count, inFlight }: Question['post']): Promise<AnswerTo['post']> {
  const posted: (readonly [author: number, id: string])[] = [];
  const timesMs: number[] = [];
  const before = node.rings.figures.deliveries;
  const startedMs = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const number = next++;
      const author = authors[number % authors.length] as number;
      const text = `post ${number}: the quick brown fox jumps over the lazy dog, and it does so once more for good measure`;
      const askedMs = performance.now();
      const reply = await node.services.askAccount(ids[author] as string, 'post', {
        text,
        html: renderHtml(text, { mentions: new Map(), baseUrl: settings.BASE_URL }),
        spoilerText: '',
        visibility: 'public',
        sensitive: false,
        mentions: [],
        tags: [],
      });
      timesMs.push(performance.now() - askedMs);
      if (isProblem(reply)) throw new Error(reply.detail);
      posted.push([author, reply.id]);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  const expected = posted.reduce((sum, [author]) => sum + (audiences[author] ?? 0), 0);
  await until('all deliveries', () => node.rings.figures.deliveries - before >= expected || undefined, DELIVERY_MS_MAX);
  const seconds = (performance.now() - startedMs) / 1_000;
  return { posted, timesMs, seconds, deliveries: node.rings.figures.deliveries - before };
}
