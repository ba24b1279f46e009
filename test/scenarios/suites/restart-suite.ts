import assert from 'node:assert/strict';
import { ServerProcess } from '../../kit/services/server-process.js';
import { sameDayFor } from '../../kit/time/same-day.js';
import { call } from '../cluster/people.js';
import { EveryRoute } from '../requests/every-route.js';
import { answersOf, appTokenOf, differences, misfits, readings, settledAnswers } from '../requests/read-requests.js';
import { assertTold, playStory } from '../worlds/told-story.js';

/** Minimum number of compared answers, below the actual one. */
const READINGS_MIN = 100;
/** A fixed seed, so that the story is the same each time. */
const STORY = 7;
/** Daily counts are among the compared answers. */
const DAY_LASTS_MS = 600_000;

async function survives(server: ServerProcess): Promise<void> {
  const world = await EveryRoute.prepare(server);
  const all = await readings(world, await appTokenOf(world, server.url));
  const before = await settledAnswers(server.url, all);
  const answered = [...before.values()].filter((answer) => answer.startsWith('200'));
  assert.ok(answered.length >= READINGS_MIN, `only ${answered.length} of ${before.size} routes answered`);
  assert.deepEqual(misfits(before), []);
  await server.kill();
  await server.restart();
  assert.deepEqual(differences(before, await answersOf(server.url, all)), []);
  // One more status changes an answer: the comparison detects changes.
  await call(server.url, world.viewer, 'POST', '/api/v1/statuses', { status: 'one more' });
  assert.ok(differences(before, await answersOf(server.url, all)).length > 0);
}

/** Checks visibility before and after. */
async function hides(server: ServerProcess): Promise<void> {
  const story = await playStory(server, STORY);
  await assertTold(story);
  await server.kill();
  await server.restart();
  await assertTold(story);
}

/** Kills a node with data of every kind, twice; checks that it then answers as before and that hidden data stay hidden. */
export async function assertRestarts(settings: Readonly<Record<string, string>>): Promise<void> {
  await sameDayFor(DAY_LASTS_MS);
  const server = await ServerProcess.start({ LOG_LEVEL: 'warn', ...settings });
  try {
    await survives(server);
    await hides(server);
  } finally {
    await server.dispose();
  }
}
