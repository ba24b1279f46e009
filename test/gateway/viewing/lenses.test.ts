import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountCommands } from '../../../actors/account/slices.js';
import { makeId } from '../../../actors/domain/ids.js';
import type { TypedAsk } from '../../../actors/runtime/kind.js';
import { NOBODY_LIMITED } from '../../../gateway/viewing/account-limits.js';
import { Lenses } from '../../../gateway/viewing/lenses.js';
import type { AccountHome, AccountReadHome } from '../../../proto/gen/types.js';

const LENS_BELIEVED_MS = 5_000;
const viewer = makeId(1_000, 1, 0);
const other = makeId(1_000, 2, 0);

/** A viewer on another node, whose actor answers on command. */
function elsewhere() {
  let version = 1;
  let blocked: string[] = [];
  let asked = 0;
  let answers = true;
  const waiting: (() => void)[] = [];
  let nowMs = 1_000;
  let covers = true;
  const listeners: ((account: string | undefined) => void)[] = [];
  const state = (known: number): AccountHome => {
    const none = {
      following: [],
      blockedBy: [],
      muted: [],
      lists: [],
      screened: false,
      tags: [],
      mutedConversations: [],
    };
    const sources = known === version ? undefined : { ...none, blocked };
    return { version, sources, ids: [], rest: 'none', floor: '' };
  };
  const ask = (_viewer: string, _command: string, question: object) => {
    asked += 1;
    const answer = state((question as AccountReadHome).knownVersion);
    if (answers) return Promise.resolve(answer);
    return new Promise((resolve) => waiting.push(() => resolve(answer)));
  };
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  const news = {
    covers: () => covers,
    ageMaxMs: () => LENS_BELIEVED_MS,
    onChanged: (listener: (typeof listeners)[number]) => void listeners.push(listener),
  };
  const never = () => undefined;
  const lenses = new Lenses(ask as TypedAsk<AccountCommands>, clock, NOBODY_LIMITED, never, never, news);
  return {
    asked: () => asked,
    blocks: async () => (await lenses.of(viewer)).lens.relation(other).blocking,
    home: async () => lenses.home(viewer, { before: undefined, after: undefined, upwards: false, limit: 20 }),
    block: () => {
      version += 1;
      blocked = [other];
    },
    heard: (account: string | undefined) => {
      for (const listener of listeners) listener(account);
    },
    hold: () => {
      answers = false;
    },
    letGo: () => {
      answers = true;
      for (const go of waiting.splice(0)) go();
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
    cover: (on: boolean) => {
      covers = on;
    },
  };
}

test('a viewer on another node is queried once, and again after their relations have changed', async () => {
  const world = elsewhere();
  for (let time = 0; time < 5; time++) assert.equal(await world.blocks(), false);
  assert.equal(world.asked(), 1);
  world.block();
  world.heard(viewer);
  assert.equal(await world.blocks(), true);
  assert.equal(world.asked(), 2);
});

test('changes of others cause no query', async () => {
  const world = elsewhere();
  await world.blocks();
  world.heard(other);
  await world.blocks();
  assert.equal(world.asked(), 1);
});

test('an answer that a change overtook is not cached', async () => {
  const world = elsewhere();
  world.hold();
  const early = world.blocks();
  world.block();
  world.heard(viewer);
  world.letGo();
  assert.equal(await early, false);
  assert.equal(await world.blocks(), true);
});

test('an answer that a gap overtook is not cached', async () => {
  const world = elsewhere();
  world.hold();
  const early = world.blocks();
  world.block();
  world.heard(undefined);
  world.letGo();
  assert.equal(await early, false);
  assert.equal(await world.blocks(), true);
});

test('the viewer is queried after a gap, during an outage of the bus, and after a while', async () => {
  const world = elsewhere();
  await world.blocks();
  world.block();
  world.heard(undefined);
  assert.equal(await world.blocks(), true);
  assert.equal(world.asked(), 2);
  world.cover(false);
  await world.blocks();
  assert.equal(world.asked(), 3);
  world.cover(true);
  await world.blocks();
  assert.equal(world.asked(), 3);
  world.pass(LENS_BELIEVED_MS);
  await world.blocks();
  assert.equal(world.asked(), 4);
});

test('a viewer on this node is queried when their actor has recorded something, and only then', async () => {
  let asked = 0;
  let revision: object | undefined = {};
  let version = 1;
  const none = { following: [], blocked: [], blockedBy: [], muted: [], lists: [], screened: false };
  const answer = (_viewer: string, _command: string, { knownVersion }: AccountReadHome): AccountHome => {
    asked += 1;
    const sources = knownVersion === version ? undefined : { ...none, tags: [], mutedConversations: [] };
    return { version, sources, ids: [], rest: 'none', floor: '' };
  };
  const clock = { nowMs: () => 1, monotonicMs: () => 1 };
  const lenses = new Lenses(answer as never, clock, NOBODY_LIMITED, answer as never, () => revision);
  const lensAfter = async (queries: number) => {
    const { lens } = await lenses.of(viewer);
    assert.equal(asked, queries);
    return lens;
  };
  const lens = await lensAfter(1);
  assert.equal(await lensAfter(2), lens);
  for (let time = 0; time < 5; time++) assert.equal(await lensAfter(2), lens);
  // An entry that does not change the relations.
  revision = {};
  assert.equal(await lensAfter(3), lens);
  assert.equal(await lensAfter(3), lens);
  revision = {};
  version = 2;
  assert.notEqual(await lensAfter(4), lens);
  revision = undefined;
  await lensAfter(5);
  await lensAfter(6);
});

test('a home timeline is always queried, and its answer validates the relations', async () => {
  const world = elsewhere();
  await world.home();
  await world.home();
  assert.equal(world.asked(), 2);
  assert.equal(await world.blocks(), false);
  assert.equal(world.asked(), 2);
});
