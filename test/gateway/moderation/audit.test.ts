import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operate } from '../../../cli/operations.js';
import { Refused } from '../../../cli/refused.js';
import { type Person, TestServer } from '../../kit/services/server.js';

let server: TestServer;
let mod: Person;
let admin: Person;
before(async () => {
  server = await TestServer.start();
  mod = await server.staff('mod', 'moderator');
  admin = await server.staff('chief', 'admin');
});
after(() => server?.stop());

const acts = async (limit: number, before?: string) =>
  (await operate(server.node, 'instance.audit', { limit, ...(before === undefined ? {} : { before }) }, () => {})).acts;

test('the operator reads all actions of moderators, last first, with actor and target', async () => {
  const eve = await server.person('eve');
  const ben = await server.person('ben');
  assert.deepEqual(await acts(10), []);
  await mod.post(`/api/v1/admin/accounts/${eve.id}/action`, { type: 'silence', text: 'too loud' });
  await mod.post(`/api/v1/admin/accounts/${eve.id}/unsilence`);
  const report = (await ben.post('/api/v1/reports', { account_id: eve.id })).body.id;
  await mod.post(`/api/v1/admin/reports/${report}/assign_to_self`);
  await mod.post(`/api/v1/admin/reports/${report}/resolve`);
  const block = (await admin.post('/api/v1/admin/ip_blocks', { ip: '203.0.113.7', severity: 'no_access' })).body.id;
  await admin.put(`/api/v1/admin/ip_blocks/${block}`, { comment: 'a robot' });
  await admin.remove(`/api/v1/admin/ip_blocks/${block}`);
  await operate(server.node, 'instance.put', { collection: 'rules', text: 'Be kind' }, () => {});
  const all = await acts(100);
  assert.deepEqual(all.map(({ by, action, name, detail }) => [by, action, name, detail]).reverse(), [
    ['mod', 'silence', 'eve', 'too loud'],
    ['mod', 'unsilence', 'eve', undefined],
    ['mod', 'assign report', undefined, undefined],
    ['mod', 'resolve report', undefined, undefined],
    ['chief', 'put ip_blocks', undefined, '203.0.113.7/32'],
    ['chief', 'put ip_blocks', undefined, '203.0.113.7/32'],
    ['chief', 'remove ip_blocks', undefined, '203.0.113.7/32'],
    ['operator', 'put rules', undefined, undefined],
  ]);
  assert.equal(all[5]?.target, report);
  assert.ok(all.every(({ at }) => Math.abs(Date.parse(at) - Date.now()) < 60_000));
  const [first, second] = await acts(2);
  assert.deepEqual([first, second], all.slice(0, 2));
  assert.deepEqual(await acts(100, second?.id), all.slice(2));
});

test('refused actions and actions without effect are not recorded', async () => {
  const before = await acts(100);
  assert.equal((await mod.post(`/api/v1/admin/accounts/${admin.id}/action`, { type: 'suspend' })).status, 403);
  assert.equal((await admin.post('/api/v1/admin/ip_blocks', { ip: 'x', severity: 'no_access' })).status, 422);
  const dan = await server.person('dan');
  await mod.post(`/api/v1/admin/accounts/${dan.id}/unsilence`);
  assert.deepEqual(await acts(100), before);
  await assert.rejects(acts(0), Refused);
  await assert.rejects(acts(10, 'x'), Refused);
});
