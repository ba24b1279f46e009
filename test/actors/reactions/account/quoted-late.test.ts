import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProblem, Unavailable } from '../../../../actors/domain/problem.js';
import type { RowWrite } from '../../../../store/port.js';
import { journal, statuses } from '../../../../store/tables.js';
import { blankPost, town } from '../town.js';

test('a quote that is revoked before the quoting status is in its conversation ends revoked', async () => {
  const here = await town(['alice', 'bob']);
  const { stage, node, tables } = here;
  const quoted = await here.account(here.id('alice'), 'post', blankPost);
  assert.ok(!isProblem(quoted));
  // The store refuses the journal of the quoting status' conversation, so that its author sends the status repeatedly.
  const quotedActor = `conversation/${quoted.conversationId}`;
  const isRefused = ({ table, key }: RowWrite) => {
    const { actor } = key as { readonly actor?: string };
    return table.name === journal.name && actor?.startsWith('conversation/') === true && actor !== quotedActor;
  };
  node.store.beforeWrite = (rows) => {
    if (rows.some(isRefused)) throw new Unavailable('no writes to the conversation');
  };
  const { id: statusId, conversationId } = quoted;
  const quote = { statusId, accountId: here.id('alice'), conversationId, follows: false, state: 'accepted' };
  const posting = here.askAccount(here.id('bob'), 'post', { ...blankPost, quote });
  await stage.clock.advance(6_000);
  const quoting = await posting;
  assert.ok(!isProblem(quoting));
  const input = { statusId, by: here.id('alice'), quotingId: quoting.id };
  assert.ok(!isProblem(await here.conversation(conversationId, 'revokeQuote', input)));
  await stage.clock.advance(1_000);
  node.store.mend();
  await stage.clock.advance(60_000);
  assert.equal((await tables.get(statuses, { status: quoting.id }))?.quote?.state, 'revoked');
  stage.close();
});
