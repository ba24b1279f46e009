import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { allRoutes } from '../../../gateway/routes/index.js';
import { fc } from '../../kit/property.js';
import { TestServer } from '../../kit/services/server.js';
import { pathShape } from '../openapi/facts.js';
import recorded from '../openapi/facts.json' with { type: 'json' };
import { applicationOf, NO_STATUS_SHOWN, STATUS_VIEWS } from './status-views.js';
import { type Step, Story, says, step, Theatre } from './visibility-story.js';

const STEPS_MAX = 30;
/** Names in types and addresses of answers that may contain statuses. */
const MAY_SHOW = /Status\b|StatusEdit|Context\b|Conversation|Notification(?!Policy)|Grouped|Search|AdminReport|Poll\b/;
const MAY_SHOW_AT = /\/(?:timelines|statuses|media_index|notifications|search)\b/;

let server: TestServer;
let theatre: Theatre;
before(async () => {
  server = await TestServer.start();
  const moderator = await server.staff('moderator', 'moderator');
  const make = (names: readonly string[]) => Promise.all(names.map((name) => server.person(name)));
  theatre = new Theatre(make, [moderator, await applicationOf(server), { get: server.get }]);
});
after(() => server.stop());

/** Runs these steps, and checks what everybody sees. */
async function told(steps: readonly Step[]): Promise<void> {
  const story = await Story.of(theatre, steps);
  assert.deepEqual(await story.faults(), []);
}

test('a status is shown to nobody who may not see it, whatever happened before', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: STEPS_MAX }), told), {
    numRuns: 6,
    interruptAfterTimeLimit: 60_000,
  });
});

test('a quote shows nothing that its reader may not see, nor does a nested quote, a reblog or a notification', async () => {
  const block: Step = { did: 'block', who: 0, whom: 2 };
  const quoted = [says(0), says(1, { quote: 0, mentions: 2 }), says(3, { quote: 1 })];
  const marked: Step[] = [1, 2].flatMap((what) => [
    { did: 'reblog', who: 3, what },
    { did: 'favourite', who: 2, what },
    { did: 'bookmark', who: 2, what },
  ]);
  const listens: Step[] = [1, 3].map((whom) => ({ did: 'listen', who: 2, whom }));
  await told([...listens, ...quoted, ...marked, block]);
  await told([block, ...listens, ...quoted, ...marked, { did: 'edit', who: 0, what: 0 }]);
  // For followers, but shown to an account that is mentioned only in the quote.
  await told([says(0, { visibility: 'private' }), says(0, { visibility: 'private', quote: 0, mentions: 2 })]);
  await told([...quoted, { did: 'remove', who: 0, what: 0 }]);
});

test('every route that may show statuses has a view, or a reason for having none', () => {
  const answers = new Map(
    recorded.operations.map((fact) => [`${fact[0]} ${pathShape(String(fact[1]))}`, String(fact[5])]),
  );
  const unlooked = allRoutes.filter(({ method, path }) => {
    if (method !== 'GET' || STATUS_VIEWS[`GET ${path}`] !== undefined) return false;
    if (NO_STATUS_SHOWN[`GET ${path}`] !== undefined) return false;
    return MAY_SHOW_AT.test(path) || MAY_SHOW.test(answers.get(`GET ${pathShape(path)}`) ?? '');
  });
  assert.deepEqual(
    unlooked.map(({ path }) => path),
    [],
  );
  const known = new Set(allRoutes.map(({ method, path }) => `${method} ${path}`));
  const strange = [...Object.keys(STATUS_VIEWS), ...Object.keys(NO_STATUS_SHOWN)].filter((name) => !known.has(name));
  assert.deepEqual(strange, [], 'routes that there are not');
});
