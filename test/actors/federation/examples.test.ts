import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { featuredCollectionDocument } from '../../../actors/federation/documents/featured-collection.js';
import { hashtagDocument } from '../../../actors/federation/documents/hashtag.js';
import { noteDocument } from '../../../actors/federation/documents/note.js';
import { announceActivity, createActivity } from '../../../actors/federation/documents/publishing.js';
import { acceptActivity, acceptQuoteActivity } from '../../../actors/federation/outgoing/accept.js';
import { blockActivity } from '../../../actors/federation/outgoing/block.js';
import { deleteActivity, deleteStampActivity } from '../../../actors/federation/outgoing/delete.js';
import {
  acceptFeatureActivity,
  deleteFeatureStampActivity,
  rejectFeatureActivity,
} from '../../../actors/federation/outgoing/feature-answer.js';
import { featureRequestActivity } from '../../../actors/federation/outgoing/feature-request.js';
import {
  addCollectionActivity,
  addFeaturedActivity,
  removeCollectionActivity,
  removeFeaturedActivity,
} from '../../../actors/federation/outgoing/featured-collection.js';
import { flagActivity } from '../../../actors/federation/outgoing/flag.js';
import { followActivity } from '../../../actors/federation/outgoing/follow.js';
import { likeActivity } from '../../../actors/federation/outgoing/like.js';
import { moveActivity } from '../../../actors/federation/outgoing/move.js';
import { endorsementActivity, pinActivity, tagActivity } from '../../../actors/federation/outgoing/pin.js';

import { quoteRequestActivity } from '../../../actors/federation/outgoing/quote-request.js';
import { rejectActivity, rejectQuoteActivity } from '../../../actors/federation/outgoing/reject.js';

import { relayFollowActivity } from '../../../actors/federation/outgoing/relay.js';

import { undoActivity } from '../../../actors/federation/outgoing/undo.js';
import { updateActivity } from '../../../actors/federation/outgoing/update.js';
import { voteActivity } from '../../../actors/federation/outgoing/vote.js';
import { codec } from '../../../proto/codec.js';
import type { StoreStatusRecord } from '../../../proto/gen/types.js';

const baseUrl = 'https://here.example';
const ann = `${baseUrl}/users/ann`;
const ben = 'https://there.example/users/ben';
const theirs = `${ben}/statuses/7`;
const atMs = Date.UTC(2026, 0, 1, 12);
const pair = { local: ann, remote: ben };
const none = new Uint8Array(0);

const author = codec('murmuration.store.AccountRecord').decode(none);
const record: StoreStatusRecord = {
  ...codec('murmuration.store.StatusRecord').decode(none),
  ...{ id: '42', accountId: '1', conversationId: '42', visibility: 'public', createdAtMs: atMs, language: 'en' },
  ...{ text: 'Hello #fediverse', html: '<p>Hello <a href="https://here.example/tags/fediverse">#fediverse</a></p>' },
  tags: ['fediverse'],
};
const around = { baseUrl, author: { ...author, id: '1', username: 'ann' }, emojis: [], quote: undefined };
const later = { contextUri: `${baseUrl}/contexts/42`, nowMs: atMs };
const surroundings = { ...around, mentions: [{ uri: ben, name: 'ben@there.example' }], parentUri: theirs, ...later };
const note = noteDocument(record, surroundings);
const edited = noteDocument({ ...record, editedAtMs: atMs + 60_000 }, surroundings);
const sharing = {
  id: `${ann}/statuses/43/activity`,
  actor: ann,
  visibility: 'public',
  atMs,
  object: theirs,
  author: ben,
};
const vote = { actor: ann, question: theirs, author: ben, name: 'tea', part: '7-3-0', atMs };
const mine = `${ann}/statuses/41`;
const asked = { author: ann, by: ben, quoted: mine, quoting: theirs, quotingId: '6', requestId: `${theirs}/request` };
const stamp = `${mine}/quote_authorizations/6`;
const shelf = `${ben}/collections/3`;
const featuring = { featured: ann, by: ben, collection: shelf, requestId: `${shelf}/requests/1` };
const consent = `${ann}/feature_authorizations/12`;
const benRecord = { ...author, id: '2', username: 'ben', domain: 'there.example', origin: { uri: ben, url: '' } };
const shelved = { id: '46', account: benRecord, atMs, stampUri: `${ben}/stamps/1` };
const description = { name: 'Potters', description: 'They make bowls', language: 'en', tag: 'pottery' };
const owls = featuredCollectionDocument(
  baseUrl,
  {
    ...{ id: '45', owner: '1', items: [], createdAtMs: atMs, updatedAtMs: atMs },
    text: { ...description, sensitive: false, discoverable: true },
  },
  { username: 'ann' },
  [shelved],
);
const [place] = owls.orderedItems;
const instance = `${baseUrl}/actor`;
const flag = { actor: instance, reportId: '9', comment: 'spam', account: ben, statuses: [theirs] };

/** One example of each activity, in the order of FEDERATION.md. */
const EXAMPLES: readonly object[] = [
  followActivity(pair, '5'),
  acceptActivity(pair, '5', `${ben}#follows/1`, 2),
  rejectActivity(pair, '5', `${ben}#follows/1`),
  blockActivity(pair, '6'),
  createActivity(note),
  updateActivity(ann, edited, '1'),
  deleteActivity(ann, note.id),
  likeActivity(ann, theirs, '8'),
  announceActivity(sharing),
  voteActivity(vote),
  pinActivity('Add', ann, note.id, '4'),
  tagActivity('Add', ann, hashtagDocument(`${baseUrl}/@ann`, 'felt'), '5'),
  endorsementActivity('Add', ann, ben, '6'),
  flagActivity(flag),
  relayFollowActivity({ actor: instance, id: '11', relay: 'https://relay.example/actor', style: 'mastodon' }),
  undoActivity(likeActivity(ann, theirs, '8')),
  moveActivity(ann, ben, atMs),
  quoteRequestActivity(ann, theirs, `${ann}/statuses/44`),
  acceptQuoteActivity(asked, stamp, 3),
  rejectQuoteActivity(asked, 3),
  deleteStampActivity({ uri: stamp, quotedAuthor: ann, quoting: theirs, quoted: mine }),
  acceptFeatureActivity(featuring, consent, 4),
  rejectFeatureActivity(featuring, 4),
  featureRequestActivity(ann, ben, `${ann}/collections/45`, '46'),
  addCollectionActivity(owls, '7'),
  updateActivity(ann, owls, '9'),
  removeCollectionActivity(ann, owls.id, '10'),
  ...(place === undefined ? [] : [addFeaturedActivity(ann, owls.id, place, '8')]),
  removeFeaturedActivity(ann, owls.id, '46'),
  deleteFeatureStampActivity({ uri: consent, featured: ann, collection: shelf }),
];

test('FEDERATION.md shows each outgoing activity as it is rendered', async () => {
  const text = await readFile(join(import.meta.dirname, '../../../../FEDERATION.md'), 'utf8');
  const shown = Array.from(text.matchAll(/```json\n([\s\S]*?)\n```/g), ([, json = '']) => JSON.parse(json));
  assert.deepEqual(shown, JSON.parse(JSON.stringify(EXAMPLES)));
});
