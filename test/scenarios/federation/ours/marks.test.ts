import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operatorClient } from '../../../../cli/operator-socket.js';
import { type Answer, Place, seen } from '../../../kit/federation/two-places.js';
import { call } from '../../cluster/people.js';

/** Ann marks here what Ben writes there. */
let [here, there]: Place[] = [];
before(async () => {
  [here, there] = await Place.pair('ann', 'ben');
});
after(async () => {
  await Promise.all([here?.dispose(), there?.dispose()]);
});

/** Ben posts, and Ann finds the status by its address. */
async function shared(body: object): Promise<{ readonly own: string; readonly copy: string }> {
  const made = await (there as Place).ask('POST', 'statuses', body);
  const found = await (here as Place).find(made.uri);
  return { own: made.id, copy: found.statuses[0].id };
}

const onOrigin = (id: string) => (there as Place).ask('GET', `statuses/${id}`);
const mark = (id: string, verb: string) => (here as Place).ask('POST', `statuses/${id}/${verb}`);

test('a favourite and a reblog reach the author, and end', async () => {
  const { own, copy } = await shared({ status: 'to be liked and shared' });
  await mark(copy, 'favourite');
  await mark(copy, 'reblog');
  await seen('both marks', async () => {
    const { favourites_count, reblogs_count } = await onOrigin(own);
    return favourites_count === 1 && reblogs_count === 1;
  });
  const told = await seen('both notifications', async () => {
    const all = await (there as Place).ask('GET', 'notifications?types[]=favourite&types[]=reblog');
    return all.length === 2 && all;
  });
  const { host } = here as Place;
  assert.deepEqual(told.map(({ type, account }: Answer) => [type, account.acct]).sort(), [
    ['favourite', `ann@${host}`],
    ['reblog', `ann@${host}`],
  ]);
  const [sharer] = await (there as Place).ask('GET', `statuses/${own}/reblogged_by`);
  assert.equal(sharer.acct, `ann@${host}`);
  await mark(copy, 'unfavourite');
  await mark(copy, 'unreblog');
  await seen('no mark', async () => {
    const { favourites_count, reblogs_count } = await onOrigin(own);
    return favourites_count === 0 && reblogs_count === 0;
  });
  const again = await (here as Place).ask('GET', `statuses/${copy}`);
  assert.deepEqual([again.favourites_count, again.reblogs_count, again.favourited], [0, 0, false]);
});

test('a reblog that is deleted as a status ends at the author, too', async () => {
  const { own, copy } = await shared({ status: 'shared once' });
  const reblog = await mark(copy, 'reblog');
  await seen('the reblog', async () => (await onOrigin(own)).reblogs_count === 1);
  await (here as Place).ask('DELETE', `statuses/${reblog.id}`);
  await seen('no reblog', async () => (await onOrigin(own)).reblogs_count === 0);
});

test('votes reach the author alone, count once, and mention nobody', async () => {
  const poll = { options: ['tea', 'coffee', 'water'], expires_in: 3_600, multiple: true };
  const { own, copy } = await shared({ status: 'what to drink?', poll });
  const asked = (await (here as Place).ask('GET', `statuses/${copy}`)).poll;
  await (here as Place).ask('POST', `polls/${asked.id}/votes`, { choices: [0, 2] });
  await seen('two votes', async () => (await onOrigin(own)).poll.votes_count === 2);
  const { poll: counted } = await onOrigin(own);
  assert.deepEqual(
    counted.options.map(({ votes_count }: Answer) => votes_count),
    [1, 0, 1],
  );
  assert.equal(counted.voters_count, 1);
  assert.deepEqual(await (there as Place).ask('GET', 'notifications?types[]=mention'), []);
});

test('a forwarded report names the instance and not the reporter; another one stays here', async () => {
  const { own, copy } = await shared({ status: 'to be reported' });
  const { account } = await (here as Place).ask('GET', `statuses/${copy}`);
  const admin = await (there as Place).staff();
  const told = { account_id: account.id, status_ids: [copy] };
  await (here as Place).ask('POST', 'reports', { ...told, comment: 'stays here' });
  await (here as Place).ask('POST', 'reports', { ...told, comment: 'goes out', forward: true });
  const reports = await seen('the forwarded report', async () => {
    const all = await call((there as Place).server.url, admin, 'GET', '/api/v1/admin/reports');
    return (all as Answer[]).length > 0 ? (all as Answer[]) : undefined;
  });
  assert.deepEqual(
    reports.map(({ comment }: Answer) => comment),
    ['goes out'],
  );
  const [report] = reports;
  assert.deepEqual(
    report.statuses.map(({ id }: Answer) => id),
    [own],
  );
  assert.equal(report.target_account.account.id, (there as Place).person.id);
  assert.doesNotMatch(JSON.stringify(report), /\bann\b/);
});

test("marks of a person whose server and whose author's server are killed arrive once, in order", async () => {
  const { own, copy } = await shared({ status: 'marked in a bad hour' });
  await (there as Place).server.kill();
  for (const verb of ['favourite', 'unfavourite', 'favourite', 'reblog']) await mark(copy, verb);
  await (here as Place).server.kill();
  await (here as Place).server.restart();
  await (there as Place).server.restart();
  await operatorClient((here as Place).server.dataDir)('federation.steer', {
    host: (there as Place).host,
    act: 'retry',
  });
  await seen('both marks', async () => {
    const { favourites_count, reblogs_count } = await onOrigin(own);
    return favourites_count === 1 && reblogs_count === 1;
  });
});
