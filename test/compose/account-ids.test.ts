import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idShard, makeId, SHARDS } from '../../actors/domain/ids.js';
import { Unavailable } from '../../actors/domain/problem.js';
import { accountIds } from '../../compose/account-ids.js';

const random = { fraction: () => 0.5 };
/** Owns the even shards. */
const runtime = { mintId: (shard: number) => (shard % 2 === 0 ? makeId(2, shard, 0) : undefined) };

test('ids are of all shards in turn, each minted by the owner of its shard', async () => {
  const asked: number[] = [];
  const ask = async (id: string) => {
    asked.push(idShard(id));
    return { id: makeId(3, idShard(id), 0) };
  };
  const next = accountIds(runtime, ask as never, random);
  const ids: string[] = [];
  for (let count = 0; count < SHARDS; count++) ids.push(await next());
  assert.equal(new Set(ids.map((id) => idShard(id))).size, SHARDS);
  assert.equal(asked.length, SHARDS / 2);
  assert.ok(asked.every((shard) => shard % 2 === 1));
});

test('six ids in a row lie in all thirds of the shards, as nodes own them, wherever the cycle begins', async () => {
  const anyOwner = { mintId: (shard: number) => makeId(2, shard, 0) };
  for (let start = 0; start < SHARDS; start++) {
    const next = accountIds(anyOwner, (() => assert.fail('owned')) as never, { fraction: () => start / SHARDS });
    const thirds = new Set<number>();
    for (let count = 0; count < 6; count++) thirds.add(Math.floor((3 * idShard(await next())) / SHARDS));
    assert.equal(thirds.size, 3);
  }
});

test('while another owner is unreachable the id is of a shard of this node', async () => {
  const ask = () => Promise.reject(new Unavailable('no answer'));
  const next = accountIds(runtime, ask as never, random);
  for (let count = 0; count < 4; count++) assert.equal(idShard(await next()) % 2, 0);
  await assert.rejects(accountIds({ mintId: () => undefined }, ask as never, random)(), Unavailable);
});
