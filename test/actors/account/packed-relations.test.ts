import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BLOCKED_BY_MAX, BLOCKS_MAX } from '../../../actors/account/block.js';
import { FOLLOWING_MAX } from '../../../actors/account/follow.js';
import { FOLLOWED_TAGS_MAX } from '../../../actors/account/followed-tags.js';
import { LIST_MEMBERSHIPS_MAX, LIST_TITLE_CHARS_MAX, LISTS_MAX } from '../../../actors/account/lists.js';
import { MUTES_MAX } from '../../../actors/account/mute.js';
import { homeCodec, sourcesCodec } from '../../../actors/account/packed-relations.js';
import { sourcesOf } from '../../../actors/account/relations.js';
import { makeId } from '../../../actors/domain/ids.js';
import { HASHTAG_BYTES_MAX } from '../../../actors/domain/text/hashtag.js';
import { LazyMap } from '../../../actors/runtime/state/lazy-collections.js';
import { PAYLOAD_BYTES_MAX } from '../../../transport/bus.js';
import { newcomer, startMs } from './newcomer.js';

/** Bytes reserved for a home's ids, the reply around it and its headers. */
const REST_BYTES = 10_000;
const id = (n: number) => makeId(startMs + n, n % 1_024, n % 64);
const several = (count: number, from: number) => Array.from({ length: count }, (_, n) => id(from + n));

function atAllLimits() {
  const { state } = newcomer(({ following, blocking, blockedBy, muting, lists, followedTags }) => {
    const followed = several(FOLLOWING_MAX, 0);
    for (const [n, target] of followed.entries()) {
      const options = { pending: n % 3 === 0, reblogs: n % 2 === 0, notify: false };
      following.set(target, { target, edgeId: target, atMs: startMs, ...options });
    }
    for (const account of several(BLOCKS_MAX, 100_000)) blocking.set(account, account);
    for (const account of several(BLOCKED_BY_MAX, 200_000)) blockedBy.add(account);
    for (const [n, account] of several(MUTES_MAX, 300_000).entries())
      muting.set(account, { edgeId: account, notifications: n % 2 === 0, untilMs: n % 3 === 0 ? 0 : startMs + n });
    for (let n = 0; n < FOLLOWED_TAGS_MAX; n++) followedTags.set(`${n}`.padStart(HASHTAG_BYTES_MAX, 'x'), id(n));
    for (let n = 0; n < LISTS_MAX; n++) {
      const members = followed.slice(0, LIST_MEMBERSHIPS_MAX / LISTS_MAX).map((member) => [member, member] as const);
      const title = '✓'.repeat(LIST_TITLE_CHARS_MAX);
      lists.set(id(400_000 + n), {
        title,
        repliesPolicy: 'followed',
        exclusive: n === 7,
        members: new LazyMap(members),
      });
    }
  });
  return sourcesOf(state);
}

test('the relations of an account at all its limits fit one message between nodes', () => {
  const bytes = sourcesCodec.encode(atAllLimits());
  assert.ok(bytes.length < PAYLOAD_BYTES_MAX - REST_BYTES, `${bytes.length} bytes`);
});

test('relations are encoded and decoded unchanged, alone and in a home', () => {
  const sources = atAllLimits();
  const following = sources.following.map(({ target, pending, reblogs }) => ({ target, pending, reblogs }));
  const sent = sourcesCodec.decode(sourcesCodec.encode(sources));
  assert.deepEqual(sent, { ...sources, following });
  const home = { version: 3, ids: [id(1), id(2)], rest: 'ring', floor: id(0) };
  assert.deepEqual(homeCodec.decode(homeCodec.encode({ ...home, sources: sent })), { ...home, sources: sent });
  assert.deepEqual(homeCodec.decode(homeCodec.encode(home)), home, 'a home without relations');
});

test('an account without relations has empty ones', () => {
  const none = { following: [], blocked: [], blockedBy: [], muted: [], lists: [], mutedConversations: [] };
  const nobody = { ...none, screened: false, tags: [] };
  assert.deepEqual(sourcesCodec.decode(sourcesCodec.encode(nobody)), nobody);
  assert.deepEqual(sourcesCodec.decode(new Uint8Array()), nobody);
});
