import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyProfile } from '../../../actors/account/profile.js';
import { cachedAlone } from '../../../compose/cached-rows.js';
import { renderAccount, renderCredentialAccount } from '../../../gateway/pages/account/account.js';
import { relationshipsJson, renderRelationships } from '../../../gateway/pages/account/relationship.js';
import { renderRole } from '../../../gateway/pages/account/role.js';
import { renderInstance, renderInstanceV1 } from '../../../gateway/pages/instance/instance.js';
import type { Status } from '../../../gateway/pages/status/status.js';
import { StatusPages } from '../../../gateway/pages/status/status-pages.js';
import { ViewerMarks } from '../../../gateway/pages/status/viewer-marks.js';
import type { InstanceSettings } from '../../../gateway/settings/settings.js';
import { visibleById } from '../../../gateway/viewing/visible.js';
import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import { put } from '../../../store/port.js';
import { following } from '../../../store/tables.js';
import { TimelineWorld } from '../timelines/timeline-world.js';

const instance: InstanceSettings = {
  baseUrl: 'https://birds.example',
  domain: 'birds.example',
  streamingUrl: 'wss://birds.example',
  streamingRedirect: undefined,
  registrations: 'approval',
  passwordGrant: false,
  devPages: false,
  authorizedFetch: false,
  version: '0.1.0',
} as InstanceSettings;

const record: StoreAccountRecord = {
  id: '113743996895070158',
  username: 'alice',
  domain: '',
  profile: { ...emptyProfile, displayName: 'Alice', note: 'I <3 #birds', fields: [{ name: 'site', value: 'a & b' }] },
  createdAtMs: Date.UTC(2026, 10, 21, 7, 30),
  followers: 1,
  following: 2,
  statuses: 3,
  lastStatusAtMs: Date.UTC(2026, 10, 22, 9),
  role: 'admin',
  confirmed: true,
  approved: true,
  disabled: false,
  email: 'alice@example.org',
  locale: 'en',
  followRequests: 4,
  pinnedIds: [],
};

/** Field → type, `?` if null is allowed. Source: the API's table of entities, its required fields. */
const ACCOUNT =
  'acct:string avatar:string avatar_static:string bot:boolean created_at:string display_name:string emojis:array ' +
  'fields:array followers_count:number following_count:number group:boolean header:string header_static:string ' +
  'id:string indexable:boolean last_status_at:string? locked:boolean note:string statuses_count:number uri:string ' +
  'url:string username:string roles:array discoverable:boolean?';
const STATUS =
  'account:object content:string created_at:string emojis:array favourites_count:number id:string ' +
  'media_attachments:array mentions:array reblogs_count:number replies_count:number sensitive:boolean ' +
  'spoiler_text:string tags:array uri:string visibility:string in_reply_to_id:string? reblog:object? poll:object? ' +
  'card:object? application:object? language:string? edited_at:string? url:string';
const RELATIONSHIP =
  'blocked_by:boolean blocking:boolean domain_blocking:boolean endorsed:boolean followed_by:boolean ' +
  'following:boolean id:string muting:boolean muting_notifications:boolean note:string notifying:boolean ' +
  'requested:boolean requested_by:boolean showing_reblogs:boolean';
const INSTANCE_V1 =
  'approval_required:boolean configuration:object description:string email:string invites_enabled:boolean ' +
  'languages:array registrations:boolean rules:array short_description:string stats:object title:string uri:string ' +
  'urls:object version:string';
const INSTANCE =
  'api_versions:object configuration:object contact:object description:string domain:string icon:array ' +
  'languages:array registrations:object rules:array source_url:string thumbnail:object title:string usage:object ' +
  'version:string';

function hasFields(entity: object | undefined, fields: string): void {
  assert.ok(entity);
  for (const [name, type] of fields.split(' ').map((field) => field.split(':') as [string, string])) {
    const value: unknown = (entity as Record<string, unknown>)[name];
    if (value === null && type.endsWith('?')) continue;
    const found: string = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
    assert.equal(found, type.replace('?', ''), name);
  }
}

test('an account has every field that clients need, with sanitised text', () => {
  const account = renderAccount(instance, record);
  hasFields(account, ACCOUNT);
  assert.equal(account.url, 'https://birds.example/@alice');
  assert.equal(account.created_at, '2026-11-21T00:00:00.000Z');
  assert.equal(account.last_status_at, '2026-11-22');
  assert.match(account.note, /^<p>I &lt;3 <a href="https:\/\/birds\.example\/tags\/birds"/);
  assert.deepEqual(account.fields, [{ name: 'site', value: 'a &amp; b', verified_at: null }]);
  assert.ok(!JSON.stringify(account).includes('alice@example.org'));
});

test('the owner sees the profile as typed, the number of follow requests, and the role', () => {
  const account = renderCredentialAccount(instance, record);
  hasFields(account, ACCOUNT);
  hasFields(account.source, 'fields:array follow_requests_count:number note:string privacy:string sensitive:boolean');
  assert.equal(account.source.note, 'I <3 #birds');
  assert.equal(account.source.follow_requests_count, 4);
  assert.equal(account.role.name, 'Admin');
  assert.deepEqual(
    ['user', 'moderator', 'admin', 'owner'].map((name) => renderRole(name).permissions),
    ['0', '66844', '1048572', '1'],
  );
});

test('a page of statuses takes one read per table', async () => {
  const world = new TimelineWorld(21);
  await world.fill(120);
  const reads: string[] = [];
  const getMany = world.tables.getMany.bind(world.tables);
  const tables = Object.assign(Object.create(world.tables) as typeof world.tables, {
    getMany: ((table: { name: string }, keys: never[]) => {
      reads.push(table.name);
      return getMany(table as never, keys);
    }) as typeof getMany,
  });
  const services = { ...world.services, tables, instance };
  const pages = new StatusPages(instance, new ViewerMarks(cachedAlone(world.tables)));
  const ids = world.idsWhere((status) => world.visible(status)).slice(0, 40);
  const seen = await visibleById(services, world.viewer, ids);
  const list = await pages.list(services, world.viewer, seen);
  const rendered = JSON.parse(list.toString()) as readonly Status[];
  assert.deepEqual(reads.sort(), ['accounts', 'statuses', 'statuses'], 'statuses: the page’s and the reblogged');
  assert.deepEqual(
    rendered.map((status) => status?.id),
    ids,
  );
  for (const status of rendered) {
    hasFields(status, `${STATUS} favourited:boolean reblogged:boolean muted:boolean bookmarked:boolean filtered:array`);
    if (status?.reblog) hasFields(status.reblog, STATUS);
  }
  assert.ok(rendered.some((status) => status?.reblog));
});

test('a relationship has every field, also for strangers', async () => {
  const world = new TimelineWorld(22);
  for (const relationship of await renderRelationships(world.services, world.viewer, world.people.slice(1))) {
    hasFields(relationship, RELATIONSHIP);
  }
});

test('followers come from rows if an actor does not know all its followers', async () => {
  const world = new TimelineWorld(22);
  const [, one = '', two = '', three = ''] = world.people;
  const edge = (pending: boolean) => ({ edgeId: '1', pending, reblogs: true, notify: false, atMs: 0 });
  await world.tables.write([
    put(following, { account: one, target: world.viewer }, edge(false)),
    put(following, { account: two, target: world.viewer }, edge(true)),
  ]);
  const found = await renderRelationships(world.services, world.viewer, [one, two, three, world.viewer]);
  assert.deepEqual(
    found.map(({ followed_by }) => followed_by),
    [true, false, false, false],
  );
});

test('relationships as JSON equal relationships as objects', async () => {
  const world = new TimelineWorld(23);
  const { services, viewer, people } = world;
  const objects = await renderRelationships(services, viewer, people);
  assert.ok(new Set(objects.map(({ id: _, ...flags }) => JSON.stringify(flags))).size > 3, 'of several kinds');
  for (const _ of ['made', 'kept']) {
    assert.deepEqual(JSON.parse(await relationshipsJson(services, viewer, people)), objects);
  }
});

test('the instance has every field of both versions', () => {
  const about = {
    title: 'A town',
    shortDescription: '',
    description: '',
    contactEmail: 'a@example.org',
    contact: undefined,
    sourceUrl: 'https://example.org',
    registrationsMessage: undefined,
    statusPage: undefined,
    languages: ['en'],
    rules: [],
    hasTerms: false,
    servers: 0,
    totals: { users: 1, statuses: 2, activeMonth: 1, activeHalfYear: 1 },
  };
  hasFields(renderInstanceV1(instance, about), INSTANCE_V1);
  hasFields(renderInstance(instance, about, 'key'), INSTANCE);
  assert.equal(renderInstance(instance, about, 'key').registrations.approval_required, true);
});
