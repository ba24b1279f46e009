import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedBucket } from '../../../actors/domain/changed.js';
import { idMs } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { publicLane } from '../../../actors/domain/public.js';
import { changedStatuses } from '../../../store/tables.js';
import { blankPost, town } from './town.js';

const STEP_MS = 300_000;

test('after a step of the clock, before ids follow it, no status is late, and a deletion has a time of ids', async () => {
  const here = await town(['alice']);
  const { clock } = here.stage;
  const ceilingMs = clock.nowMs() + 1_000;
  Object.assign(here.node.placement, { idCeilingMs: () => ceilingMs });
  await clock.advance(STEP_MS);
  const posted = await here.account(here.id('alice'), 'post', blankPost);
  assert.ok(!isProblem(posted));
  const { id } = posted;
  assert.equal(idMs(id), ceilingMs);
  assert.deepEqual(
    here.published.map(({ kind, late }) => [kind, late]),
    [['update', undefined]],
  );
  const by = here.id('alice');
  await here.conversation(posted.conversationId, 'remove', { statusId: id, by, discardMedia: false });
  const rows = await here.tables.range(
    changedStatuses,
    { bucket: changedBucket(ceilingMs), lane: publicLane(id) },
    { limit: 9 },
  );
  assert.deepEqual(
    rows.map(({ key, value }) => [key.atMs, key.status, value.deleted]),
    [[ceilingMs, id, true]],
  );
  here.stage.close();
});
