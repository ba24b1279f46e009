import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { NO_LIMITS } from '../../../../actors/domain/servers/domain-policy.js';
import { put } from '../../../../store/port.js';
import { following } from '../../../../store/tables.js';
import { type Document, type PeerActor, PUBLIC } from '../../../kit/federation/peer.js';
import { ForeignWorld, type Sent } from '../inbox/foreign-world.js';

const LOCAL_ID = '000000000000000001';

let world: ForeignWorld;
let ann: PeerActor;
let annId: string;
before(async () => {
  world = await ForeignWorld.open();
  ann = world.peer.actor('ann');
});
beforeEach(() => {
  annId = world.knows(ann).id;
  world.relation = { following: false, blockedBy: false };
  world.reception = 'irrelevant';
});
after(() => world?.peer.close());

/** Returns the commands that a signed activity causes; it must be taken. */
async function commandsOf(type: string, object: unknown, more: Document = {}): Promise<Sent[]> {
  const before = world.sent.length;
  assert.equal(await world.gets(ann, ann.activity(type, object, more)), 'taken');
  return world.sent.slice(before);
}
const localStatus = (number: number) => `${world.localUri}/statuses/${number}`;

test('Accept and Reject settle the follow of the local account that they name', async () => {
  const follow = { id: `${world.localUri}#follows/1`, type: 'Follow', actor: world.localUri, object: ann.uri };
  const theirs = { ...follow, id: `${ann.uri}/follows/7` };
  const { id: _, ...nameless } = follow;
  const settled = (edgeId?: string) => ({ follower: LOCAL_ID, edgeId });
  for (const [named, edgeId] of [
    [follow, '1'],
    [follow.id, '1'],
    [theirs, undefined],
    [nameless, undefined],
    [`${world.localUri}/follows/7`, undefined],
    [`${world.localUri}#follows/x`, undefined],
  ] as const) {
    assert.deepEqual(await commandsOf('Accept', named), [[annId, 'authorizeFollow', settled(edgeId)]]);
    assert.deepEqual(await commandsOf('Reject', named), [[annId, 'rejectFollow', settled(edgeId)]]);
  }
  const edge = { edgeId: '5', pending: false, atMs: 0 };
  await world.tables.write([put(following, { account: LOCAL_ID, target: annId }, edge as never)]);
  const present = { ...follow, id: `${world.localUri}#follows/5` };
  for (const named of [present, present.id, theirs, nameless]) {
    const [, dropped] = await commandsOf('Reject', named);
    assert.deepEqual(dropped, [annId, 'dropFollower', { follower: LOCAL_ID, edgeId: '5' }]);
  }
  for (const earlier of [follow, follow.id])
    assert.deepEqual(await commandsOf('Reject', earlier), [[annId, 'rejectFollow', settled('1')]]);
  for (const foreign of [{ ...follow, object: 'https://v.example/users/x' }, 'https://v.example/1', undefined]) {
    assert.deepEqual(await commandsOf('Accept', foreign), []);
  }
});

test('Block and its Undo concern local accounts alone', async () => {
  assert.deepEqual(await commandsOf('Block', world.localUri), [[annId, 'block', { target: LOCAL_ID }]]);
  const undone = ann.activity('Block', world.localUri);
  assert.deepEqual(await commandsOf('Undo', undone), [[annId, 'unblock', { target: LOCAL_ID }]]);
  for (const other of ['https://v.example/users/x', `${world.url}/users/nobody`, localStatus(1)]) {
    assert.deepEqual(await commandsOf('Block', other), []);
  }
});

test('Like and EmojiReact favourite a status that the sender may see', async () => {
  const seen = await world.stores(localStatus(10));
  const favourite = ['7', 'favourite', { statusId: seen.id, by: annId }];
  for (const type of ['Like', 'EmojiReact']) assert.deepEqual(await commandsOf(type, localStatus(10)), [favourite]);
  await world.stores(localStatus(11), { visibility: 'private' });
  await world.stores(localStatus(12), { visibility: 'direct' });
  await world.stores(localStatus(13), { deleted: true });
  for (const number of [11, 12, 13, 14]) assert.deepEqual(await commandsOf('Like', localStatus(number)), []);
  world.relation = { following: true, blockedBy: false };
  assert.equal((await commandsOf('Like', localStatus(11))).length, 1);
  world.relation = { following: true, blockedBy: true };
  for (const number of [10, 11]) assert.deepEqual(await commandsOf('Like', localStatus(number)), []);
});

test('an Undo that names an activity by its id undoes what that was', async () => {
  const seen = await world.stores(localStatus(15));
  const like = ann.activity('Like', localStatus(15));
  assert.equal(await world.gets(ann, like), 'taken');
  assert.deepEqual(await commandsOf('Undo', like.id), [['7', 'unfavourite', { statusId: seen.id, by: annId }]]);
  assert.deepEqual(await commandsOf('Undo', 'https://v.example/acts/1'), []);
});

test('Announce reblogs, and what is not known is fetched if somebody here follows the sender', async () => {
  const seen = await world.stores(localStatus(20));
  const reblog = (visibility: string) => [['7', 'reblog', { statusId: seen.id, by: annId, visibility }]];
  assert.deepEqual(await commandsOf('Announce', localStatus(20), { to: PUBLIC }), reblog('public'));
  const followers = ann.document.followers;
  assert.deepEqual(await commandsOf('Announce', localStatus(20), { to: followers, cc: [PUBLIC] }), reblog('unlisted'));
  assert.deepEqual(await commandsOf('Announce', localStatus(20), { to: followers }), reblog('private'));
  const waited = world.waited.length;
  assert.deepEqual(await commandsOf('Announce', 'https://v.example/notes/1'), []);
  assert.equal(world.waited.length, waited);
  world.knows(ann, { followers: 1 });
  assert.deepEqual(await commandsOf('Announce', { id: 'https://v.example/notes/1', type: 'Note', content: 'x' }), []);
  assert.equal(world.waited.length, waited + 1);
});

test('a relay makes statuses known, reblogs nothing, and settles the Follow of the server', async () => {
  const id = '000000000000000042';
  const follow = `${world.url}/actor#relays/${id}`;
  const answered = (accepted: boolean) => [['000000000000000001', 'answerRelay', { uri: ann.uri, id, accepted }]];
  assert.deepEqual(await commandsOf('Accept', follow), answered(true));
  const embedded = { id: follow, type: 'Follow', actor: `${world.url}/actor` };
  assert.deepEqual(await commandsOf('Reject', embedded), answered(false));
  for (const other of [`${follow}/undo`, `${world.url}/actor#relays/`, `${world.url}/actor`])
    assert.deepEqual(await commandsOf('Accept', other), []);
  await world.stores(localStatus(25));
  const waits = async (uri: string) => {
    const waited = world.waited.length;
    assert.deepEqual(await commandsOf('Announce', uri, { to: PUBLIC }), []);
    return world.waited.length - waited;
  };
  assert.equal(await waits('https://v.example/notes/2'), 0);
  world.relays.add(ann.uri);
  assert.equal(await waits('https://v.example/notes/2'), 1);
  assert.equal(await waits(localStatus(25)), 0);
  const forwarded = { type: 'Create', actor: 'https://v.example/users/x', object: { id: 'https://v.example/notes/3' } };
  assert.equal(await world.gets(ann, forwarded), 'taken');
  assert.deepEqual(world.waited.at(-1), { type: 'Announce', actor: ann.uri, object: 'https://v.example/notes/3' });
  world.admitsRelayed = false;
  assert.equal(await waits('https://v.example/notes/4'), 0);
  world.admitsRelayed = true;
  world.relays.clear();
});

test('Create stores what concerns somebody here, and nothing else', async () => {
  const note = (more: Document = {}) => ({
    id: world.peer.uri('n'),
    type: 'Note',
    attributedTo: ann.uri,
    to: PUBLIC,
    content: 'x',
    ...more,
  });
  const stored = async (more?: Document) => (await commandsOf('Create', note(more))).map(([, command]) => command);
  assert.deepEqual(await stored(), []);
  const mention = { tag: [{ type: 'Mention', href: world.localUri }] };
  await world.stores(localStatus(30));
  for (const more of [mention, { to: world.localUri }, { inReplyTo: localStatus(30) }, { quoteUri: localStatus(30) }]) {
    assert.deepEqual(await stored(more), ['received'], JSON.stringify(more));
  }
  for (const counts of [{ followers: 1 }, { followRequests: 1 }]) {
    world.knows(ann, counts);
    assert.deepEqual(await stored(), ['received'], JSON.stringify(counts));
  }
  assert.deepEqual(await stored({ attributedTo: 'https://v.example/users/x' }), []);
});

test('a named Note in reply to a local poll is a vote', async () => {
  const options = ['a', 'b'].map((title) => ({ title, votes: 0 }));
  const poll = { options, expiresAtMs: 0, multiple: false, hideTotals: false, voters: 0, ended: false, round: 0 };
  const seen = await world.stores(localStatus(40), { poll });
  const vote = (name: string, more: Document = {}) =>
    commandsOf('Create', {
      type: 'Note',
      id: world.peer.uri('v'),
      attributedTo: ann.uri,
      name,
      inReplyTo: localStatus(40),
      ...more,
    });
  assert.deepEqual(await vote('b'), [['7', 'vote', { statusId: seen.id, by: annId, choices: [1] }]]);
  assert.deepEqual(await vote('c'), []);
  assert.deepEqual(
    (await vote('b', { content: 'a reply' })).map(([, command]) => command),
    ['received'],
  );
});

test("an embedded profile counts if it is the sender's own", async () => {
  const own = { id: ann.uri, type: 'Person', inbox: `${ann.uri}/inbox`, preferredUsername: 'ann' };
  assert.deepEqual(await commandsOf('Update', own), [[annId, 'told', ann.uri]]);
  assert.deepEqual(await commandsOf('Update', { ...own, id: `${ann.uri}2` }), []);
  assert.deepEqual(await commandsOf('Update', { ...own, id: 'https://v.example/users/x' }), []);
});

test('Update and Delete reach the statuses of the sender alone', async () => {
  const mine = { id: world.peer.uri('n'), type: 'Note', attributedTo: ann.uri, content: 'new' };
  assert.deepEqual(await commandsOf('Update', mine), []);
  await world.stores(mine.id, { accountId: annId });
  assert.deepEqual(await commandsOf('Update', mine), [[annId, 'revised', mine.id]]);
  await world.stores(`${mine.id}/other`, { accountId: LOCAL_ID });
  assert.deepEqual(await commandsOf('Update', { ...mine, id: `${mine.id}/other` }), []);
  assert.deepEqual(await commandsOf('Update', { ...mine, attributedTo: 'https://v.example/users/x' }), []);
  assert.deepEqual(await commandsOf('Delete', { id: mine.id, type: 'Tombstone' }), [[annId, 'deleted', mine.id]]);
  assert.deepEqual(await commandsOf('Delete', ann.uri), [[annId, 'vanish', {}]]);
});

test('an Update of a status that is not known yet is taken as its Create, unless it is old or concerns nobody', async () => {
  const dayMs = 86_400_000;
  const id = world.peer.uri('n');
  const aged = (ageMs: number) => ({
    ...{ id, type: 'Note', attributedTo: ann.uri, content: 'new' },
    published: new Date(world.nowMs() - ageMs).toISOString(),
  });
  assert.deepEqual(await commandsOf('Update', aged(0)), []);
  world.knows(ann, { followers: 1 });
  const received = [annId, 'received', id];
  const { published: _, ...undated } = aged(0);
  for (const note of [aged(0), aged(dayMs - 60_000), undated])
    assert.deepEqual(await commandsOf('Update', note), [received]);
  // Its Create may have been stored meanwhile.
  world.reception = { id: '9', conversationId: '9', accountId: annId };
  assert.deepEqual(await commandsOf('Update', aged(0)), [received, [annId, 'revised', id]]);
  assert.deepEqual(await commandsOf('Update', aged(dayMs + 60_000)), []);
  assert.deepEqual(await commandsOf('Update', { ...aged(0), attributedTo: 'https://v.example/users/x' }), []);
});

test('Add and Remove change the pinned statuses of the sender', async () => {
  const mine = world.peer.uri('n');
  const seen = await world.stores(mine, { accountId: annId });
  const target = ann.document.featured;
  assert.deepEqual(await commandsOf('Add', mine, { target }), [[annId, 'pin', { statusId: seen.id }]]);
  assert.deepEqual(await commandsOf('Remove', mine, { target }), [[annId, 'unpin', { statusId: seen.id }]]);
  await world.stores(localStatus(50));
  assert.deepEqual(await commandsOf('Add', localStatus(50), { target }), []);
  assert.deepEqual(await commandsOf('Add', mine, { target: `${world.localUri}/collections/featured` }), []);
});

test('Add and Remove of a Hashtag change the featured hashtags of the sender', async () => {
  const felt = { type: 'Hashtag', href: `${ann.uri}/tagged/felt`, name: '#Felt' };
  const target = ann.document.featured;
  const featured = [annId, 'featureTag', { name: 'felt' }];
  assert.deepEqual(await commandsOf('Add', felt, { target }), [featured]);
  assert.deepEqual(await commandsOf('Add', felt, { target: `${ann.uri}/collections/tags` }), [featured]);
  world.answer = { featured: [{ id: '3', name: 'felt', uses: 0, lastAtMs: 0 }], others: [] };
  const asked = [annId, 'featuredTags', {}];
  assert.deepEqual(await commandsOf('Remove', felt, { target }), [asked, [annId, 'unfeatureTag', { id: '3' }]]);
  assert.deepEqual(await commandsOf('Remove', { ...felt, name: '#wool' }, { target }), [asked]);
  world.answer = {};
  for (const name of ['#', 'x y', `#${'x'.repeat(2_000)}`, undefined, 7])
    assert.deepEqual(await commandsOf('Add', { ...felt, name }, { target }), [], String(name).slice(0, 9));
  for (const other of [`${world.localUri}/collections/featured`, undefined, 'https://v.example/featured'])
    assert.deepEqual(await commandsOf('Add', felt, { target: other }), [], String(other));
});

test('Add and Remove of an account change the featured accounts of the sender', async () => {
  const target = `${ann.uri}/collections/accounts`;
  world.accounts.set(ann.uri, { ...world.knows(ann), id: annId, remote: { featuredAccountsUri: target } as never });
  const bea = world.knows(world.peer.actor('bea'));
  for (const [uri, id] of [
    [world.localUri, LOCAL_ID],
    [`${world.peer.url}/users/bea`, bea.id],
  ] as const) {
    assert.deepEqual(await commandsOf('Add', uri, { target }), [[annId, 'endorse', { target: id }]]);
    assert.deepEqual(await commandsOf('Remove', uri, { target }), [[annId, 'unendorse', { target: id }]]);
  }
  for (const other of ['https://v.example/users/x', `${world.url}/users/nobody`, localStatus(1), 7, {}])
    assert.deepEqual(await commandsOf('Add', other, { target }), [], JSON.stringify(other));
  for (const other of [`${world.localUri}/collections/accounts`, `${ann.uri}/collections/others`])
    assert.deepEqual(await commandsOf('Add', world.localUri, { target: other }), [], other);
});

test('a Move waits for its target in an order of its own, and other activities in that of their object', async () => {
  const before = world.waited.length;
  assert.deepEqual(await commandsOf('Move', ann.uri, { target: 'https://v.example/users/x' }), []);
  assert.deepEqual(await commandsOf('Update', ann.uri), []);
  assert.equal(world.waited.length, before + 2);
  assert.deepEqual(world.orders.slice(-2), [`${ann.uri}#moves`, ann.uri]);
});

test('a Move waits until its target, which was fetched a minute before, is known as it is now', async () => {
  const target = world.peer.actor('target');
  const known = world.knows(target);
  const fetched = (fetchedAtMs: number, alsoKnownAs: readonly string[]) => {
    const remote = { ...known.remote, alsoKnownAs, movedTo: '', fetchedAtMs };
    world.accounts.set(target.uri, { ...known, remote: remote as never });
  };
  const move = ann.activity('Move', ann.uri, { target: target.uri });
  const before = world.sent.length;
  fetched(world.nowMs() - 60_000, []);
  assert.equal(await world.later(ann, move), 'later');
  fetched(world.nowMs(), []);
  assert.equal(await world.later(ann, { ...move, id: world.peer.uri('acts') }), 'ignored');
  assert.equal(world.sent.length, before);
  fetched(world.nowMs() - 60_000, [ann.uri]);
  assert.equal(await world.later(ann, move), 'done');
  assert.deepEqual(world.sent.at(-1)?.slice(0, 2), [annId, 'move']);
});

test('Flag files a report about a local account with statuses of it', async () => {
  const { id } = await world.stores(localStatus(60));
  const [[report, command, input] = []] = await commandsOf(
    'Flag',
    [world.localUri, localStatus(Number(id)), 'https://v.example/1'],
    { content: 'spam' },
  );
  assert.deepEqual([report, command], ['9', 'file']);
  const { target, account, comment, statusIds } = input as Document;
  assert.deepEqual([target, account, comment, statusIds], [LOCAL_ID, annId, 'spam', [id]]);
  assert.deepEqual(await commandsOf('Flag', ['https://v.example/1']), []);
  world.policies.set(world.peer.host, { ...NO_LIMITS, rejectsReports: true });
  assert.deepEqual(await commandsOf('Flag', [world.localUri]), []);
  world.policies.delete(world.peer.host);
});
