import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followersOf, makeGraph, type SocialGraph, transposed } from '../../bench/graph.js';

const SEEDS = [1, 2, 3, 77, 2_000_000_011];
const SIZES = [
  { accounts: 500, averageFanOut: 12 },
  { accounts: 2_000, averageFanOut: 40 },
  { accounts: 10_000, averageFanOut: 100 },
];

function eachGraph(check: (graph: SocialGraph, averageFanOut: number, seed: number) => void): void {
  for (const seed of SEEDS) {
    for (const size of SIZES) check(makeGraph({ ...size, seed }), size.averageFanOut, seed);
  }
}

function degreesOf({ accounts, offsets }: SocialGraph): number[] {
  return Array.from({ length: accounts }, (_, author) => (offsets[author + 1] ?? 0) - (offsets[author] ?? 0));
}

test('nobody in the graph follows themselves, nobody follows anyone twice, everyone in it exists', () => {
  eachGraph((graph) => {
    for (let author = 0; author < graph.accounts; author++) {
      const followers = followersOf(graph, author);
      const distinct = new Set(followers);
      assert.equal(distinct.size, followers.length);
      assert.ok(!distinct.has(author));
      assert.ok(followers.every((follower) => follower < graph.accounts));
    }
  });
});

test('the average fan-out is the requested one, and a tenth of all accounts follow the largest account', () => {
  eachGraph((graph, averageFanOut) => {
    assert.equal(graph.followers.length, graph.offsets[graph.accounts]);
    const average = graph.followers.length / graph.accounts;
    assert.ok(Math.abs(average - averageFanOut) < 0.5, `${average} instead of ${averageFanOut}`);
    const degrees = degreesOf(graph);
    assert.equal(Math.max(...degrees), graph.accounts / 10);
    assert.ok(Math.min(...degrees) >= 1);
  });
});

test('numbers of followers fall as a power: about half as many accounts have twice as many followers', () => {
  eachGraph((graph, averageFanOut) => {
    const degrees = degreesOf(graph);
    const atLeast = (degree: number) => degrees.filter((one) => one >= degree).length;
    // Without the truncation at the largest account the count would be higher by the accounts with at least half its
    // followers.
    const cut = atLeast(graph.accounts / 20);
    const ratio = (atLeast(averageFanOut) + cut) / (atLeast(averageFanOut * 2) + cut);
    assert.ok(ratio > 1.7 && ratio < 2.3, `the ratio is ${ratio}`);
  });
});

test('some follow many times more than others, and well-known accounts are spread over all numbers', () => {
  eachGraph((graph) => {
    const follows = degreesOf(transposed(graph)).sort((a, b) => a - b);
    const at = (part: number) => follows[Math.floor(follows.length * part)] ?? 0;
    assert.ok(at(0.99) > at(0.5) * 3, `${at(0.5)} in the middle, ${at(0.99)} at the top`);
    const degrees = degreesOf(graph);
    const half = graph.accounts / 2;
    const first = degrees.slice(0, half).reduce((sum, degree) => sum + degree, 0) / graph.followers.length;
    assert.ok(first > 0.4 && first < 0.6, `the first half has ${first} of all followers`);
  });
});

test('the reversed graph has the same edges, and reversed again it is the same graph', () => {
  eachGraph((graph) => {
    const turned = transposed(graph);
    assert.equal(turned.followers.length, graph.followers.length);
    for (const author of [0, 1, graph.accounts - 1]) {
      for (const follower of followersOf(graph, author)) assert.ok(followersOf(turned, follower).includes(author));
    }
    const again = transposed(turned);
    assert.deepEqual(again.offsets, graph.offsets);
    for (let author = 0; author < graph.accounts; author++) {
      assert.deepEqual(followersOf(again, author), followersOf(graph, author).slice().sort());
    }
  });
});

test('the same seed makes the same graph, another seed another', () => {
  const wish = { accounts: 1_000, averageFanOut: 30 };
  const one = makeGraph({ ...wish, seed: 5 });
  assert.deepEqual(makeGraph({ ...wish, seed: 5 }), one);
  assert.notDeepEqual(makeGraph({ ...wish, seed: 6 }).followers, one.followers);
});

test('an impossible graph is refused', () => {
  assert.throws(() => makeGraph({ accounts: 100, averageFanOut: 50, seed: 1 }), /does not exist/);
});
