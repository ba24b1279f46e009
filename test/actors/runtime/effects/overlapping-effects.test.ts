import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountEvents } from '../../../../actors/account/slices.js';
import { accountKind } from '../../../../actors/kinds/account.js';
import { conversationKind } from '../../../../actors/kinds/conversation.js';
import { MemoryTables } from '../../../../store/memory/memory-tables.js';
import { lonelyRings } from '../../../kit/actors/lonely-rings.js';
import { noUploads } from '../../../kit/actors/no-uploads.js';
import { VirtualClock } from '../../../kit/time/virtual-clock.js';

// Events whose effects may run concurrently with those of later entries: an actor that receives two commands might
// receive them in the wrong order. Anyone who adds an event here must state why that does no harm.

const tables = new MemoryTables();
const account = accountKind({
  baseUrl: 'https://here.example',
  domain: 'here.example',
  tables,
  rings: lonelyRings(tables, new VirtualClock()),
  media: noUploads,
});
const conversation = conversationKind();

test('only favourites and bookmarks of a conversation overlap', () => {
  const state = conversation.initial('1');
  const types = Object.keys(conversation.events) as (keyof typeof conversation.events)[];
  const overlapping = types.filter((type) => conversation.events[type].overlaps?.({} as never, state) === true);
  assert.deepEqual(overlapping.sort(), ['bookmarked', 'favourited']);
});

test('frequent events of an account overlap, unless they send a command after awaiting something', () => {
  const state = account.initial('1');
  const does = <K extends keyof AccountEvents & string>(type: K, event: Partial<AccountEvents[K]>, of = state) =>
    account.events[type].overlaps?.(event as never, of) === true;
  const types = Object.keys(account.events) as (keyof AccountEvents & string)[];
  assert.deepEqual(types.filter((type) => does(type, {})).sort(), [
    'followed',
    'followerAdded',
    'posted',
    'received',
    'statusCounted',
  ]);
  const quote = { statusId: '1' } as unknown as NonNullable<AccountEvents['posted']['quote']>;
  assert.equal(does('posted', { quote }), false, "the quoted author's conversation answers");
  const followed = { ...state, subscribers: new Set(['2']) } as unknown as typeof state;
  for (const type of ['posted', 'received'] as const)
    assert.equal(does(type, {}, followed), false, 'followers are notified');
  assert.equal(does('followerAdded', { answer: true }), false, 'the follower is notified');
  const kinds = ['favourite', 'follow', 'mention', 'reblog', 'poll', 'update', 'status', 'follow_request'];
  assert.deepEqual(
    kinds.filter((kind) => does('notified', { kind })),
    kinds.slice(0, 4),
  );
});
