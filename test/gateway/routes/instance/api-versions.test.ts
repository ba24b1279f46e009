import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { sendForm } from '../../../kit/network/multipart.js';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

let server: TestServer;
let ann: Person;
let ben: Person;
before(async () => {
  server = await TestServer.start();
  ann = await server.person('ann');
  ben = await server.person('ben');
});
after(() => server.stop());

const set = (changes: object) => server.ask('PATCH', '/api/v1/accounts/update_credentials', changes, ann.token);
const ok = async (path: string, body?: object) => {
  const answer = body === undefined ? await ann.get(path) : await ann.post(path, body);
  assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
};
async function upload(): Promise<string> {
  const file = await sharp({ create: { width: 2, height: 2, channels: 3, background: '#f80' } })
    .png()
    .toBuffer();
  return (await sendForm(ann, 'POST', '/api/v1/media', { file })).body.id;
}

/** Promises of each API version to clients. Source: the version histories in Mastodon's documentation. */
const promises: Readonly<Record<number, () => Promise<void>>> = {
  async 2() {
    assert.ok(Array.isArray((await ok('/api/v2/notifications')).notification_groups));
    assert.equal(typeof (await ok('/api/v2/notifications/unread_count')).count, 'number');
  },
  async 3() {
    const given = await set({ attribution_domains: ['news.example'] });
    assert.deepEqual(given.body.source.attribution_domains, ['news.example']);
  },
  async 4() {
    const [free, used] = [await upload(), await upload()];
    assert.equal((await ann.remove(`/api/v1/media/${free}`)).status, 200);
    const id = await ann.says('with a picture', { media_ids: [used] });
    assert.equal((await ann.remove(`/api/v1/statuses/${id}?delete_media=true`)).status, 200);
    await until('the picture is gone', async () => (await ann.get(`/api/v1/media/${used}`)).status === 404, 10_000);
  },
  async 5() {
    const filter = { title: 'blurred', context: ['home'], filter_action: 'blur' };
    assert.equal((await ok('/api/v2/filters', filter)).filter_action, 'blur');
  },
  async 6() {
    await ann.follows(ben);
    assert.equal((await ok(`/api/v1/accounts/${ben.id}/endorse`, {})).endorsed, true);
    assert.equal((await ok(`/api/v1/accounts/${ann.id}/endorsements`))[0].id, ben.id);
    assert.equal((await ok('/api/v1/tags/owls/feature', {})).featuring, true);
    assert.equal((await ok('/api/v1/tags/owls/unfeature', {})).featuring, false);
  },
  async 7() {
    const id = await ann.says('quote me', { quote_approval_policy: 'public' });
    const { quote } = await ok('/api/v1/statuses', { status: 'see', quoted_status_id: id });
    assert.deepEqual([quote.state, quote.quoted_status.id], ['accepted', id]);
    assert.equal((await ok(`/api/v1/statuses/${id}/quotes`)).length, 1);
    assert.equal((await ok(`/api/v1/statuses/${id}`)).quote_approval.current_user, 'automatic');
    assert.equal((await set({ source: { quote_policy: 'followers' } })).body.source.quote_policy, 'followers');
  },
  async 8() {
    assert.equal((await ok('/api/v1/profile')).id, ann.id);
    assert.equal(typeof (await ok('/api/v1/annual_reports/2025/state')).state, 'string');
  },
  async 9() {
    const changed = { avatar_description: 'an owl', header_description: 'a wood' };
    assert.equal((await set(changed)).status, 200);
    const { avatar_description, header_description } = await ok('/api/v1/profile');
    assert.deepEqual({ avatar_description, header_description }, changed);
    const { accounts } = (await ok('/api/v2/instance')).configuration;
    assert.equal(accounts.max_avatar_description_length, 150);
    assert.equal((await set({ avatar_description: 'x'.repeat(151) })).status, 422);
  },
  async 10() {
    await set({ discoverable: true });
    const { collection } = await ok('/api/v1/collections', { name: 'Owls', account_ids: [ann.id] });
    assert.equal((await ok('/api/v1/statuses', { status: collection.url })).tagged_collections[0].id, collection.id);
    assert.ok(Array.isArray(await ok('/api/v1/notifications?supported_types[]=mention')));
    assert.equal((await ok('/api/v1/accounts/verify_credentials')).role.collection_limit, 10);
    assert.equal((await ok(`/api/v1/accounts/${ann.id}`)).feature_approval.current_user, 'automatic');
  },
};

test('the instance states the last API change that is complete', async () => {
  const { api_versions } = (await server.get('/api/v2/instance')).body;
  assert.equal(api_versions.mastodon, Math.max(...Object.keys(promises).map(Number)));
});

for (const [number, holds] of Object.entries(promises))
  test(`the promises of API change ${number} hold`, () => holds());
