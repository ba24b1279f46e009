import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ObservedPost, Observer } from '../../../load/judging/observer.js';
import { Findings, judgeTimeline, missingFrom, OrderWatch, type Sighting } from '../../../load/judging/verdicts.js';

const AUTHOR = 3;

/** Creates a post with the times of sending and answer; undefined: never answered. */
function post(witness: Observer, startedMs: number, acknowledgedMs: number | undefined, author = AUTHOR): ObservedPost {
  const begun = witness.begin(author, startedMs);
  assert.ok(begun);
  begun.acknowledgedMs = acknowledgedMs;
  begun.id = `id of ${begun.marker}`;
  return begun;
}

const sighted = (...posts: readonly ObservedPost[]): Sighting[] =>
  posts.map((one) => ({ post: one, id: one.id ?? '' }));

function judged(newestFirst: readonly Sighting[]): Findings {
  const findings = new Findings();
  judgeTimeline('a home', newestFirst, findings);
  return findings;
}

test('a post is found by its unique word in any HTML, and not by a part of the word', () => {
  const witness = new Observer();
  const posts = Array.from({ length: 12 }, (_, index) => post(witness, index, index));
  assert.equal(witness.find(`<p>A <b>post</b>, number ${posts[1]?.marker}.</p>`), posts[1]);
  assert.equal(witness.find(`<p>${posts[11]?.marker}</p>`), posts[11]);
  assert.equal(witness.find(`<p>${posts[1]?.marker}9</p>`), undefined);
  assert.equal(witness.find(`<p>${new Observer().run}x1</p>`), undefined);
});

test('posts that were sent one after the other must be in that order', () => {
  const witness = new Observer();
  const [first, second, third] = [post(witness, 0, 10), post(witness, 20, 30), post(witness, 40, 50)];
  assert.deepEqual(judged(sighted(third, second, first)).counts, { lost: 0, repeated: 0, outOfOrder: 0, late: 0 });
  const wrong = judged(sighted(second, third, first));
  assert.equal(wrong.counts.outOfOrder, 1);
  assert.equal(wrong.examples[0]?.post, second.marker);
});

test('concurrent posts, and posts of different authors, may be in either order', () => {
  const witness = new Observer();
  const [one, other] = [post(witness, 0, 100), post(witness, 50, 60)];
  assert.equal(judged(sighted(one, other)).counts.outOfOrder, 0);
  assert.equal(judged(sighted(other, one)).counts.outOfOrder, 0);
  const [early, late] = [post(witness, 200, 210, 1), post(witness, 300, 310, 2)];
  assert.equal(judged(sighted(early, late)).counts.outOfOrder, 0);
});

test('the order across a third post counts too', () => {
  const witness = new Observer();
  const [first, long, last] = [post(witness, 0, 10), post(witness, 5, 500), post(witness, 20, 30)];
  assert.equal(judged(sighted(first, long, last)).counts.outOfOrder, 1);
});

test('a post that was never answered has no order', () => {
  const witness = new Observer();
  const [unknown, later] = [post(witness, 0, undefined), post(witness, 100, 110)];
  assert.equal(judged(sighted(unknown, later)).counts.outOfOrder, 0);
});

test('the same status twice and one post as two statuses are repeated; the same at the same place counts once', () => {
  const witness = new Observer();
  const one = post(witness, 0, 10);
  const twice = judged([...sighted(one), ...sighted(one)]);
  assert.match(twice.examples[0]?.detail ?? '', /came again/);
  const doubled = judged([{ post: one, id: 'another' }, ...sighted(one)]);
  assert.match(doubled.examples[0]?.detail ?? '', /came as .* and as another/);
  const findings = new Findings();
  const watch = new OrderWatch('a stream', findings);
  assert.deepEqual(
    [1, 2, 3].map(() => watch.see({ post: one, id: '1' })),
    [true, false, false],
  );
  assert.equal(findings.counts.repeated, 1);
});

test('a place that receives older posts of an author later has no order for that author, but repeats count', () => {
  const witness = new Observer();
  const [first, second] = [post(witness, 0, 10), post(witness, 20, 30)];
  const findings = new Findings();
  const watch = new OrderWatch('a stream', findings);
  for (const sighting of sighted(second, first, first)) watch.see(sighting, false);
  assert.deepEqual(findings.counts, { lost: 0, repeated: 1, outOfOrder: 0, late: 0 });
});

test('missing acknowledged posts are lost, others are not', () => {
  const witness = new Observer();
  const [there, gone, unanswered] = [post(witness, 0, 10), post(witness, 20, 30), post(witness, 40, undefined)];
  assert.deepEqual(missingFrom([there, gone, unanswered], sighted(there), true), [gone]);
  assert.deepEqual(missingFrom([there], [], true), [there]);
});

test('a truncated timeline proves nothing about older posts', () => {
  const witness = new Observer();
  const [old, oldest, gone, newest] = [0, 20, 40, 60].map((ms) => post(witness, ms, ms + 10));
  assert.ok(old && oldest && gone && newest);
  assert.deepEqual(missingFrom([old, oldest, gone, newest], sighted(newest, oldest), false), [gone]);
  assert.deepEqual(missingFrom([old], [], false), []);
});

test('all findings are counted and some are kept in full', () => {
  const findings = new Findings();
  for (let number = 0; number < 1_000; number++) {
    findings.add({ verdict: 'late', place: 'a home', post: `post ${number}`, detail: '' });
  }
  findings.add({ verdict: 'lost', place: 'a home', post: 'post 1', detail: '' });
  assert.equal(findings.counts.late, 1_000);
  assert.ok(findings.examples.length < 20);
  assert.ok(findings.examples.some(({ verdict }) => verdict === 'lost'));
});
