import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountKind } from '../../actors/kinds/account.js';
import { conversationKind } from '../../actors/kinds/conversation.js';
import type { AnyKind } from '../../actors/runtime/kind.js';
import { encodePlain } from '../../actors/runtime/state/plain-lines.js';
import { systemClock } from '../../actors/runtime/system.js';
import { MemoryTables } from '../../store/memory/memory-tables.js';
import { lonelyRings } from '../kit/actors/lonely-rings.js';
import { noUploads } from '../kit/actors/no-uploads.js';
import { silentMailbox } from '../kit/actors/test-mailbox.js';
import { newcomer } from './account/newcomer.js';
import { started } from './conversation/thread-of-one.js';

const SECRET = 'shall not stay';

/** Returns the text of a snapshot of the state. */
async function snapshotText(state: unknown): Promise<string> {
  return Buffer.concat(await encodePlain(state, 1_048_576, async () => undefined)).toString();
}

test('the snapshot of a conversation contains nothing of a deleted status', async () => {
  const poll = { options: [{ title: SECRET, votes: 0 }], multiple: false, hideTotals: false, voters: 0, round: 0 };
  const thread = started({
    ...{ text: SECRET, html: `<p>${SECRET}</p>`, spoilerText: SECRET, tags: [SECRET], language: 'en' },
    ...{ poll: { ...poll, expiresAtMs: 5, ended: false } as never, appName: SECRET, appWebsite: SECRET },
    mentions: [{ accountId: '2', username: SECRET, acct: SECRET, url: SECRET }],
  });
  assert.match(await snapshotText(thread.state), new RegExp(SECRET));
  const removed = thread.when('remove', { statusId: '1', by: 'author' });
  assert.equal(removed.events.at(-1)?.type, 'removed');
  assert.doesNotMatch(await snapshotText(removed.state), new RegExp(SECRET));
});

test('the snapshot of a purged account contains neither its address nor its password', async () => {
  const profile = { displayName: SECRET, note: SECRET, fields: [{ name: SECRET, value: SECRET }], setFields: true };
  const alice = newcomer().when('updateProfile', profile);
  const secrets = [SECRET, 'alice@example.org', '"hash"', '192.0.2.7', 'why not'];
  const { owner } = alice.state;
  if (owner !== undefined) Object.assign(owner, { signUpAddress: '192.0.2.7', reason: 'why not' });
  const before = await snapshotText(alice.state);
  for (const secret of secrets) assert.ok(before.includes(secret), secret);
  const decided = (action: string) => ({ action, by: '7', text: '', mail: false });
  const gone = alice.when('moderate', decided('suspend')).when('moderate', decided('delete'));
  assert.equal(gone.events.at(-1)?.type, 'purged');
  const text = await snapshotText(gone.state);
  for (const secret of secrets) assert.ok(!text.includes(secret), secret);
});

test('the events of a deletion or a purge make the actor forget its past', () => {
  const tables = new MemoryTables();
  const account = accountKind({
    baseUrl: '',
    domain: '',
    tables,
    rings: lonelyRings(tables, systemClock),
    media: noUploads,
  });
  const mailbox = silentMailbox();
  const forgets = ({ events }: AnyKind) => Object.keys(events).filter((type) => events[type]?.forgets === true);
  const forgotten = forgets(account as AnyKind);
  for (const type of ['purged', 'somePurged', 'statusUncounted', 'unregistered', 'unscheduled', 'filterSaved'])
    assert.ok(forgotten.includes(type), type);
  assert.deepEqual(forgets(conversationKind() as AnyKind), ['removed']);
  assert.deepEqual(forgets(mailbox as AnyKind), ['posted']);
  for (const kind of [account, conversationKind(), mailbox]) assert.ok('alarm' in kind.commands);
});
