import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Place, type RecordedPlace } from '../../../kit/federation/two-places.js';
import type { RecordedPost } from '../../../kit/network/recording-front.js';
import { kindOf, SENT_KINDS } from '../foreign/every-sending.js';
import { EveryActivity } from './every-activity.js';
import { equalSides, quiet, Side } from './sides.js';

/** Kinds of activities about collections of people (FEP-7aa9), beside the others. */
const KINDS = [
  ...SENT_KINDS,
  ...['FeatureRequest', 'Accept FeatureRequest', 'Reject FeatureRequest', 'Delete FeatureAuthorization'],
  ...['Add FeaturedCollection', 'Update FeaturedCollection', 'Add FeaturedItem'],
].sort();
/** Requests that a test sends at a time. */
const AT_ONCE = 4;

/** Ann is here and Ben there; each does the same to the other. */
let [here, there]: RecordedPlace[] = [];
let [ann, ben]: EveryActivity[] = [];
/** The last view of both servers. */
let shown: object = {};
before(async () => {
  [here, there] = await Place.recorded('ann', 'ben');
  [ann, ben] = [new EveryActivity(here, there), new EveryActivity(there, here)];
});
after(() => Promise.all([here?.dispose(), there?.dispose()]));

const places = (): [RecordedPlace, RecordedPlace] => [here as RecordedPlace, there as RecordedPlace];
const both = <T>(act: (one: EveryActivity, other: EveryActivity) => Promise<T>): Promise<[T, T]> => {
  const [one, two] = [ann as EveryActivity, ben as EveryActivity];
  return Promise.all([act(one, two), act(two, one)]);
};

/** Waits until nothing moves and both servers show the same, and returns that. */
async function settled(): Promise<object> {
  for (const place of places()) await quiet(place);
  const people = places().flatMap(({ person: { name }, host }) => [`${name}@${host}`, `mover_${name}@${host}`]);
  const uris = [ann, ben].flatMap((one) => one?.uris ?? []);
  const [one, two] = places().map((place) => new Side(place, people, uris));
  return equalSides(one as Side, two as Side);
}

/** Sends requests twice in another order, some at a time. */
async function again(place: RecordedPlace, posts: readonly RecordedPost[]): Promise<void> {
  const twice = shuffled([...posts, ...posts]);
  const work = async () => {
    for (let post = twice.shift(); post !== undefined; post = twice.shift()) {
      const status = await place.front.send(post);
      assert.ok(status < 500, `${status} to ${post.body}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Returns the entries in an order that is the same in each run. */
function shuffled<T>(all: readonly T[]): T[] {
  let seed = 7;
  const drawn = all.map((one) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return { one, at: seed };
  });
  return drawn.toSorted((a, b) => a.at - b.at).map(({ one }) => one);
}

const replayed = () => Promise.all(places().map((place) => again(place, [...place.front.posts])));

test('every activity of both servers leaves the same people, counts and threads on both', async () => {
  await both((one) => one.meet());
  await both((one) => one.post());
  await both((one, other) => one.react(other));
  await both((one, other) => one.answer(other));
  await both((one) => one.change());
  await both((one) => one.part());
  await ann?.beRefused(ben as EveryActivity);
  await ben?.beRefused(ann as EveryActivity);
  shown = await settled();
});

test('all requests of both servers, repeated in another order, change nothing', async () => {
  await replayed();
  assert.deepEqual(await settled(), shown);
});

test('activities that arrive in the reverse order, each twice, leave the same on both servers', async () => {
  for (const place of places()) place.front.hold();
  await both((one) => one.hurry());
  for (const place of places()) await quiet(place);
  for (const place of places())
    for (const post of place.front.release().toReversed())
      for (let time = 0; time < 2; time++) assert.equal(await place.front.send(post), 202);
  shown = await settled();
});

test('undone activities are undone on both servers, and stay so when all is repeated', async () => {
  await both((one, other) => one.undo(other));
  await both((one) => one.unfollow());
  shown = await settled();
  await replayed();
  assert.deepEqual(await settled(), shown);
});

test('each server has sent every kind of activity', () => {
  for (const { front } of places()) {
    const kinds = new Set(front.posts.map(({ body }) => kindOf(JSON.parse(body.toString()))));
    assert.deepEqual([...kinds].sort(), KINDS);
  }
});
