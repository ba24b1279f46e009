import assert from 'node:assert/strict';
import { createRestAPIClient, type mastodon } from 'masto';
import { until } from '../../kit/time/until.js';
import { DOT } from '../worlds/set-up-world.js';
import type { SignedIn } from './masto-own-account.js';

type Rest = mastodon.rest.Client;
const ARRIVAL_MS_MAX = 60_000;
const idsOf = (list: readonly { readonly id: string }[]): string[] => list.map(({ id }) => id);

/** Uses all features of statuses and their consequences with masto. */
export async function playStatusesWithMasto(url: string, ola: SignedIn, pim: SignedIn): Promise<void> {
  const [o, p] = [ola, pim].map(({ token }) => createRestAPIClient({ url, accessToken: token })) as [Rest, Rest];
  await p.v1.accounts.$select(ola.id).follow();
  await picturesAndEdits(o, p, ola.id);
  await pollsAndPlans(o, p);
  await discovery(o, p, ola.id);
  await notifications(o, p, pim);
}

async function picturesAndEdits(o: Rest, p: Rest, author: string): Promise<void> {
  const media = await o.v2.media.create({
    file: new Blob([new Uint8Array(DOT)], { type: 'image/gif' }),
    description: 'a dot',
  });
  const status = await o.v1.statuses.create({ status: 'a picture #owls', mediaIds: [media.id] });
  const file = await fetch(status.mediaAttachments[0]?.url ?? '');
  assert.equal(file.status, 200);
  assert.ok((await file.arrayBuffer()).byteLength > 0);
  const own = p.v1.statuses.$select(status.id);
  for (const verb of ['bookmark', 'favourite'] as const) await own[verb]();
  await o.v1.statuses.$select(status.id).pin();
  await o.v1.statuses.$select(status.id).update({ status: 'the picture #owls', mediaIds: [media.id] });
  assert.equal((await own.fetch()).content, (await o.v1.statuses.$select(status.id).fetch()).content);
  assert.equal((await own.history.list()).length, 2);
  assert.equal((await o.v1.statuses.$select(status.id).source.fetch()).text, 'the picture #owls');
  assert.deepEqual(idsOf(await p.v1.bookmarks.list()), [status.id]);
  assert.deepEqual(idsOf(await p.v1.favourites.list()), [status.id]);
  assert.deepEqual(idsOf(await own.favouritedBy.list()), [(await p.v1.accounts.verifyCredentials()).id]);
  assert.deepEqual(idsOf(await p.v1.accounts.$select(author).statuses.list({ pinned: true })), [status.id]);
  assert.deepEqual(idsOf(await p.v1.accounts.$select(author).statuses.list({ onlyMedia: true })), [status.id]);
  assert.deepEqual(idsOf(await p.v1.timelines.tag.$select('owls').list()).slice(0, 1), [status.id]);
}

async function pollsAndPlans(o: Rest, p: Rest): Promise<void> {
  const asked = await o.v1.statuses.create({ status: 'tea?', poll: { options: ['yes', 'no'], expiresIn: 3_600 } });
  const voted = await p.v1.polls.$select(asked.poll?.id ?? '').votes.create({ choices: [1] });
  assert.deepEqual([voted.voted, voted.ownVotes, voted.options[1]?.votesCount], [true, [1], 1]);
  assert.equal((await o.v1.polls.$select(asked.poll?.id ?? '').fetch()).votesCount, 1);
  const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
  const planned = await o.v1.statuses.create({ status: 'tomorrow', scheduledAt });
  assert.deepEqual(idsOf(await o.v1.scheduledStatuses.list()), [planned.id]);
  const later = new Date(Date.now() + 2 * 86_400_000).toISOString();
  const moved = await o.v1.scheduledStatuses.$select(planned.id).update({ scheduledAt: later });
  assert.equal(moved.scheduledAt, later);
  await o.v1.scheduledStatuses.$select(planned.id).remove();
  assert.deepEqual([...(await o.v1.scheduledStatuses.list())], []);
}

async function discovery(o: Rest, p: Rest, author: string): Promise<void> {
  const found = await p.v2.search.list({ q: 'owls' });
  assert.deepEqual(
    found.hashtags.map(({ name }) => name),
    ['owls'],
  );
  assert.equal((await p.v1.tags.$select('owls').follow()).following, true);
  assert.equal((await p.v1.tags.$select('owls').unfollow()).following, false);
  const domains = p.v1.domainBlocks;
  await domains.create({ domain: 'far.example' });
  assert.deepEqual([...(await domains.list())], ['far.example']);
  await p.v1.markers.create({ home: { lastReadId: '1' } });
  assert.equal((await p.v1.markers.fetch({ timeline: ['home'] })).home?.lastReadId, '1');
  const report = await p.v1.reports.create({ accountId: author, comment: 'only trying' });
  assert.equal(report.actionTaken, false);
  assert.ok(Array.isArray(await o.v1.suggestions.list()));
  const [first] = await o.v1.accounts.relationships.fetch({ id: [author] } as never);
  assert.equal(first?.id, author);
}

async function notifications(o: Rest, p: Rest, { id }: SignedIn): Promise<void> {
  const { username } = await o.v1.accounts.verifyCredentials();
  await o.v2.notifications.policy.update({ forPrivateMentions: 'accept' } as never);
  const said = await p.v1.statuses.create({ status: `@${username} well`, visibility: 'direct' });
  await until(
    'the mention',
    async () => (await o.v1.conversations.list()).some(({ lastStatus }) => lastStatus?.id === said.id),
    ARRIVAL_MS_MAX,
  );
  await o.v2.notifications.policy.update({ forNotFollowing: 'filter' } as never);
  const another = await p.v1.statuses.create({ status: `@${username} hello?` });
  const request = await until(
    'a request',
    async () => (await o.v1.notifications.requests.list()).find(({ account }) => account.id === id),
    ARRIVAL_MS_MAX,
  );
  assert.ok(request.lastStatus?.id !== undefined);
  await o.v1.notifications.requests.$select(request.id).accept();
  await until(
    'what was asked for',
    async () => (await o.v1.notifications.list()).some(({ status }) => status?.id === another.id),
    ARRIVAL_MS_MAX,
  );
  const groups = await o.v2.notifications.list();
  assert.ok(groups.notificationGroups.length > 0);
}
