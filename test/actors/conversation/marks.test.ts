import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  heldMarks,
  isNoMark,
  MARKS_TURN,
  MARKS_UNTURNED_MAX,
  type Mark,
  neededRow,
} from '../../../actors/conversation/marks.js';
import { conversationSlices } from '../../../actors/conversation/slices.js';
import { initialConversation } from '../../../actors/conversation/state.js';
import { joined } from '../../../actors/runtime/slice.js';
import { given } from '../../kit/actors/given.js';
import { fc } from '../../kit/property.js';
import { status } from './thread-of-one.js';

const slice = joined(conversationSlices);
const accountOf = (n: number) => String(700_000_000_000_000_000n + BigInt(n));

/** A conversation whose turns are written to rows some decisions later, as before-reply effects are. */
class WithRows {
  #thread = given(slice, initialConversation()).when('add', { status: status() });
  readonly #rows = new Map<string, Mark>();
  /** The last turn whose rows are written. */
  #settledSeq = 0;

  get entry() {
    const entry = this.#thread.state.statuses.get('1');
    assert.ok(entry !== undefined);
    return entry;
  }

  get lastProblem() {
    return this.#thread.lastProblem;
  }

  /** Sends a command. Returns the number of events that it recorded besides a turn. */
  does(command: 'favourite' | 'unfavourite' | 'reblog' | 'unreblog' | 'bookmark' | 'unbookmark', by: string): number {
    const isNeeded = neededRow(this.#thread.state, '1', by) !== undefined;
    const row = isNeeded ? (this.#rows.get(by) ?? null) : undefined;
    const before = this.#thread.events.length;
    this.#thread = this.#thread.when(command, { statusId: '1', by }, { row, settledSeq: this.#settledSeq });
    return this.#thread.events.slice(before).filter(({ type }) => type !== 'marksTurned').length;
  }

  settle(): void {
    for (const [by, mark] of this.entry.olderMarks ?? []) {
      if (isNoMark(mark)) this.#rows.delete(by);
      else this.#rows.set(by, mark);
    }
    this.#settledSeq = this.#thread.events.length;
  }

  /** Returns all marks: those in rows only, and those in the state. */
  all(): Map<string, Mark> {
    const marks = new Map(this.#rows);
    for (const held of [this.entry.olderMarks, this.entry.marks]) {
      for (const [by, mark] of held ?? []) {
        if (isNoMark(mark)) marks.delete(by);
        else marks.set(by, mark);
      }
    }
    return marks;
  }
}

test('the state holds a bounded number of marks, and uses rows for the others', () => {
  const thread = new WithRows();
  const count = 10 * MARKS_TURN;
  for (let n = 0; n < count; n++) {
    assert.equal(thread.does('favourite', accountOf(n)), 1);
    thread.settle();
  }
  assert.ok([...heldMarks(thread.entry)].length <= 2 * MARKS_TURN);
  assert.equal(thread.entry.record.favourites, count);
  for (let n = 0; n < count; n++) assert.equal(thread.does('favourite', accountOf(n)), 0, 'a repeat records nothing');
  for (let n = 0; n < count; n++) {
    assert.equal(thread.does('reblog', accountOf(n)), 1);
    thread.settle();
  }
  assert.equal(thread.does('unfavourite', accountOf(0)), 1);
  assert.equal(thread.does('unfavourite', accountOf(0)), 0);
  const { favourites, reblogs } = thread.entry.record;
  assert.deepEqual([favourites, reblogs, thread.entry.markCount], [count - 1, count, 2 * count - 1]);
});

test('marks stay in the state until the effects of the last turn are done', () => {
  const thread = new WithRows();
  for (let n = 0; n < 3 * MARKS_TURN; n++) thread.does('favourite', accountOf(n));
  assert.equal([...heldMarks(thread.entry)].length, 3 * MARKS_TURN);
  for (let n = 0; n < MARKS_UNTURNED_MAX; n++) thread.does('bookmark', accountOf(n));
  assert.equal(thread.lastProblem?.problem, 'unavailable');
  thread.settle();
  assert.equal(thread.does('bookmark', accountOf(MARKS_UNTURNED_MAX)), 1);
  thread.settle();
  for (let n = 0; n < MARKS_TURN; n++) thread.does('favourite', accountOf(100_000 + n));
  assert.ok([...heldMarks(thread.entry)].length < MARKS_UNTURNED_MAX + MARKS_TURN);
});

test('each mark is counted once, in any order of marking and undoing, and however late the rows are', () => {
  const command = fc.constantFrom('favourite', 'unfavourite', 'reblog', 'unreblog', 'bookmark', 'unbookmark');
  const step = fc.tuple(command, fc.integer({ min: 0, max: 700 }), fc.integer({ min: 0, max: 99 }));
  fc.assert(
    fc.property(fc.array(step, { minLength: 1_500, maxLength: 2_000 }), (steps) => {
      const thread = new WithRows();
      const model = new Set<string>();
      for (const [name, n, chance] of steps) {
        const what = name.replace('un', '');
        const key = `${what} ${n}`;
        const isNew = name === what ? !model.has(key) : model.has(key);
        assert.equal(thread.does(name as 'favourite', accountOf(n)), isNew ? 1 : 0);
        if (name === what) model.add(key);
        else model.delete(key);
        if (chance < 3) thread.settle();
      }
      const { record, markCount } = thread.entry;
      const of = (what: string) => [...model].filter((key) => key.startsWith(what)).length;
      assert.deepEqual([record.favourites, record.reblogs, markCount], [of('fav'), of('reb'), model.size]);
      let found = 0;
      for (const { favouriteId, reblogId, bookmarkId } of thread.all().values())
        found += [favouriteId, reblogId, bookmarkId].filter((id) => id !== undefined).length;
      assert.equal(found, model.size);
    }),
    { numRuns: 20, endOnFailure: true },
  );
});
