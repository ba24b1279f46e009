import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eraOfMs, makeId } from '../../../../actors/domain/ids.js';
import { auditLog, moderationNotes } from '../../../../store/moderation-tables.js';
import { registration, town } from '../town.js';

const CHIEF = '000000000000000077';
const reject = { action: 'reject', by: CHIEF, text: '', mail: false };

/** Returns an account that waits for approval and has a note. */
async function noted() {
  const here = await town([]);
  const id = makeId(here.stage.clock.nowMs(), 3, 0);
  await here.account(id, 'register', { ...registration('waiting'), approved: false });
  await here.account(id, 'addModerationNote', { by: CHIEF, text: 'looks like spam' });
  const row = async () => (await here.tables.get(moderationNotes, { account: id }))?.notes;
  const audited = async () => {
    const rows = await here.tables.range(auditLog, { era: eraOfMs(here.stage.clock.nowMs()) }, { limit: 10 });
    return rows.map(({ value: { by, action, target } }) => [by, action, target]);
  };
  return { ...here, id, row, audited };
}

test('the row of an account has the notes that are left, and the audit log has each change', async () => {
  const here = await noted();
  const [first] = (await here.row()) ?? [];
  assert.equal(first?.text, 'looks like spam');
  await here.account(here.id, 'addModerationNote', { by: CHIEF, text: 'is harmless' });
  await here.account(here.id, 'removeModerationNote', { id: first.id, by: CHIEF });
  assert.deepEqual(
    (await here.row())?.map(({ text }) => text),
    ['is harmless'],
  );
  const [last] = (await here.row()) ?? [];
  await here.account(here.id, 'removeModerationNote', { id: last?.id ?? '', by: CHIEF });
  assert.equal(await here.row(), undefined);
  const acts = ['note', 'note', 'remove note', 'remove note'];
  assert.deepEqual(
    await here.audited(),
    acts.map((act) => [CHIEF, act, here.id]),
  );
  here.stage.close();
});

test('a rejected account leaves no notes of moderators', async () => {
  const here = await noted();
  await here.account(here.id, 'moderate', reject);
  assert.equal(await here.row(), undefined);
  here.stage.close();
});
