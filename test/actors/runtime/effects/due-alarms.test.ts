import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../../../actors/domain/ids.js';
import { type AlarmRow, alarmRow } from '../../../../actors/runtime/effects/alarm-row.js';
import { DueAlarms, SET_ALARMS_MAX } from '../../../../actors/runtime/effects/due-alarms.js';

const ACTOR = `bell/${makeId(1_767_000_000_000, 3, 1)}`;
const alarm = (atMs: number, what = 'a'): AlarmRow => alarmRow(ACTOR, atMs, what, 0);
const { lane } = alarm(1).key;

/** Takes out all alarms that are due, and returns the times that they ring at. */
function taken(due: DueAlarms, nowMs: number): number[] {
  const times: number[] = [];
  for (let row = due.take(nowMs); row !== undefined; row = due.take(nowMs)) {
    times.push(row.key.ringMs);
    due.called(row, true);
  }
  return times;
}

test('alarms of reads and of effects are taken soonest first, when they are due', () => {
  const due = new DueAlarms();
  due.found(lane, [alarm(10), alarm(40)]);
  for (const atMs of [30, 5, 50, 20]) due.add(alarm(atMs));
  assert.equal(due.soonestMs, 5);
  assert.deepEqual(taken(due, 30), [5, 10, 20, 30]);
  assert.equal(due.soonestMs, 40);
  assert.deepEqual(taken(due, 100), [40, 50]);
  assert.equal(due.soonestMs, undefined);
});

test('an alarm that an effect sets repeatedly and a read finds is taken once', () => {
  const due = new DueAlarms();
  assert.equal(due.add(alarm(10)), true);
  due.add(alarm(10, 'b'));
  assert.equal(due.add(alarm(10)), false);
  due.found(lane, [alarm(10), alarm(10, 'b'), alarm(10, 'c')]);
  assert.deepEqual(taken(due, 10), [10, 10, 10]);
  assert.equal(due.add(alarm(10)), true, 'it may be set again');
});

test('a read that began before an alarm was set does not lose it', () => {
  const due = new DueAlarms();
  due.lookBegins();
  due.add(alarm(10));
  due.found(lane, []);
  due.lookEnds();
  assert.deepEqual(taken(due, 10), [10]);
});

test('a read that began before an alarm was answered does not bring it back, a later one may', () => {
  const due = new DueAlarms();
  due.add(alarm(10));
  due.add(alarm(11));
  const called = due.take(10);
  due.lookBegins();
  const answered = due.take(11);
  assert.ok(called && answered);
  due.called(answered, true);
  due.found(lane, [alarm(10), alarm(11)]);
  due.lookEnds();
  due.called(called, true);
  assert.equal(due.soonestMs, undefined);
  due.lookBegins();
  due.found(lane, [alarm(10)]);
  assert.deepEqual(taken(due, 10), [10]);
});

test('an alarm that was not answered is found again by the read under way', () => {
  const due = new DueAlarms();
  due.add(alarm(10));
  const called = due.take(10);
  assert.ok(called);
  due.lookBegins();
  due.called(called, false);
  due.found(lane, [alarm(10)]);
  assert.deepEqual(taken(due, 10), [10]);
});

test('effects add a bounded number of alarms, and further ones after some have rung', () => {
  const due = new DueAlarms();
  for (let index = 0; index < SET_ALARMS_MAX; index++) assert.equal(due.add(alarm(1_000 + index)), true);
  assert.equal(due.add(alarm(1)), false);
  assert.deepEqual(taken(due, 1_000), [1_000]);
  assert.equal(due.add(alarm(1)), true);
});
