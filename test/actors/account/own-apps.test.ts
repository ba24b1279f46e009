import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OWN_APPS_MAX } from '../../../actors/account/own-apps.js';
import type { AccountOwnApp } from '../../../proto/gen/types.js';
import { newcomer } from './newcomer.js';

const APP: AccountOwnApp = {
  clientId: 'a',
  ...{ id: '7', name: 'Bot', redirectUris: ['https://bot.example/back'], scopes: ['read'] },
  ...{ secretHash: 'hash', atMs: 5 },
};
const decided = { by: '', text: '', mail: false };

test('an application is created, replaced and deleted, and repetitions record nothing', () => {
  const created = newcomer().when('saveOwnApp', APP);
  const recorded = created.events.length;
  assert.deepEqual([...created.state.ownApps], [['a', { ...APP, website: undefined }]]);
  assert.deepEqual(created.when('saveOwnApp', APP).events.length, recorded);
  const renamed = created.when('saveOwnApp', { ...APP, name: 'Robot' });
  assert.equal(renamed.state.ownApps.get('a')?.name, 'Robot');
  const gone = renamed.when('deleteOwnApp', { clientId: 'a' });
  assert.equal(gone.state.ownApps.size, 0);
  assert.equal(gone.when('deleteOwnApp', { clientId: 'a' }).events.length, gone.events.length);
});

test('an account has a bounded number of applications, and can still change them', () => {
  let full = newcomer();
  for (let count = 0; count < OWN_APPS_MAX; count++) full = full.when('saveOwnApp', { ...APP, clientId: `${count}` });
  assert.equal(full.when('saveOwnApp', { ...APP, clientId: 'more' }).lastProblem?.problem, 'limit_reached');
  const changed = full.when('saveOwnApp', { ...APP, clientId: '3', name: 'Robot' });
  assert.equal(changed.lastProblem, undefined);
  assert.equal(changed.state.ownApps.size, OWN_APPS_MAX);
});

test('a suspended account saves no application', () => {
  const suspended = newcomer().when('moderate', { action: 'suspend', ...decided });
  assert.equal(suspended.when('saveOwnApp', APP).lastProblem?.problem, 'forbidden');
});

test('the deletion of an account deletes its applications', () => {
  const deleted = newcomer()
    .when('saveOwnApp', APP)
    .when('moderate', { action: 'suspend', ...decided })
    .when('moderate', { action: 'delete', ...decided });
  assert.equal(deleted.lastProblem, undefined);
  assert.equal(deleted.state.ownApps.size, 0);
  assert.ok(deleted.events.some(({ type }) => type === 'ownAppDeleted'));
});
