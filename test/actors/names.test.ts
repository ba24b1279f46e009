import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initialAccount } from '../../actors/account/slices.js';
import { makeId } from '../../actors/domain/ids.js';
import { confirmNames } from '../../actors/names.js';
import { accountRecord } from '../../actors/reactions/account/rows.js';
import { CLAIM_LIFETIME_MS, Registrar } from '../../actors/registry.js';
import { Journal } from '../../store/journal.js';
import { MemoryTables } from '../../store/memory/memory-tables.js';
import { put, remove, type Tables } from '../../store/port.js';
import { accounts, names } from '../../store/tables.js';
import { SeededRandom } from '../simulation/world.js';
import { registration, town } from './reactions/town.js';

const SEEDS = 1_500;
const TRIES = 4;
const NAME = 'acct:alice';

/**
 * Sign-ups for one name on two nodes, with any interleaving of their steps. Clocks differ, stand still and jump;
 * processes end.
 */
async function story(seed: number): Promise<{ registered: string[]; answered: string[]; holder: string | undefined }> {
  const random = new SeededRandom(seed);
  const shared = new MemoryTables();
  const turns: (() => void)[] = [];
  const turn = () => new Promise<void>((resolve) => void turns.push(resolve));
  const tables = {
    get: async (table: never, key: never) => {
      await turn();
      return shared.get(table, key);
    },
    compareAndSet: async (table: never, key: never, expected: never, next: never) => {
      await turn();
      return shared.compareAndSet(table, key, expected, next);
    },
  } as unknown as Tables;
  const registered = new Set<string>();
  const answered: string[] = [];
  const effects: Promise<void>[] = [];
  // The actor's journal and its effect, which runs whatever happens to the caller.
  const unregister = async (id: string) => {
    registered.delete(id);
    await shared.write([remove(accounts, { account: id })]);
  };
  const effect = async (id: string) => {
    await turn();
    await shared.write([put(accounts, { account: id }, accountRecord(initialAccount(id)))]);
    if ((await confirmNames(tables, [NAME], id, 0)) !== undefined) await unregister(id);
  };
  const signUp = async (registrar: Registrar, id: string) => {
    for (let tries = 0; tries < TRIES; tries++) {
      if ((await registrar.claim([NAME], id)) === undefined) break;
      if (tries === TRIES - 1) return;
    }
    await turn();
    registered.add(id);
    effects.push(effect(id));
    await turn();
    if ((await registrar.confirm([NAME], id)) === undefined) answered.push(id);
    else await unregister(id);
  };
  const clocks = [0, random.between(-100_000, 100_000)].map((skewMs) => ({ skewMs, monotonic: 0 }));
  const running = clocks.flatMap((clock, node) => {
    const registrar = new Registrar(tables, { nowMs: () => clock.skewMs, monotonicMs: () => clock.monotonic });
    return [1, 2].map((n) => signUp(registrar, `${node}${n}`));
  });
  for (let idle = 0; idle < 3; ) {
    await new Promise((resolve) => setImmediate(resolve));
    if (turns.length === 0) {
      idle += 1;
      continue;
    }
    idle = 0;
    const clock = random.pick(clocks);
    clock.monotonic += random.pick([0, 10, CLAIM_LIFETIME_MS]);
    clock.skewMs += random.pick([0, 10, -50_000, 50_000]);
    const [next] = turns.splice(random.between(0, turns.length - 1), 1);
    // A process may end at any step, but the effects of durable events still run.
    next?.();
  }
  await Promise.all([...running, ...effects]);
  return { registered: [...registered], answered, holder: (await shared.get(names, { name: NAME }))?.id };
}

test(`exactly one account has a name in the end, whatever the clocks show (${SEEDS} interleavings)`, async () => {
  let contested = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { registered, answered, holder } = await story(seed);
    assert.equal(registered.length, 1, `seed ${seed}: ${registered} are registered`);
    assert.deepEqual(answered, registered, `seed ${seed}`);
    assert.equal(holder, registered[0], `seed ${seed}`);
    if (holder?.endsWith('2')) contested += 1;
  }
  assert.ok(contested > 0);
});

test('an account whose name another one has confirmed ends as if it had never existed', async (t) => {
  const { account, tables, stage } = await town([]);
  t.after(() => stage.close());
  const [id, other] = [1, 2].map((shard) => makeId(stage.clock.nowMs(), shard, 0)) as [string, string];
  assert.equal(await confirmNames(tables, ['acct:unconfirmed'], other, 0), undefined);
  await account(id, 'register', registration('unconfirmed'));
  await stage.clock.advance(10_000);
  assert.equal(await tables.get(accounts, { account: id }), undefined);
  const credentials = (await account(id, 'credentials', {})) as { exists: boolean };
  assert.equal(credentials.exists, false);
  assert.equal((await tables.get(names, { name: 'acct:unconfirmed' }))?.id, other);
  assert.equal(await tables.get(names, { name: 'email:unconfirmed@example.org' }), undefined);
  const confirmed = await account(id, 'confirmEmail', { nonce: 'confirmation-nonce' });
  assert.equal((confirmed as { problem?: string }).problem, 'not_found');
});

test('a crash after a change of the address leaves the account the new one, and the former one free', async (t) => {
  const here = await town(['alice']);
  t.after(() => here.stage.close());
  const { tables, stage } = here;
  const [alice, other] = [here.id('alice'), makeId(stage.clock.nowMs(), 3, 9)];
  const [former, next] = ['email:alice@example.org', 'email:new@example.org'];
  const registrar = new Registrar(tables, stage.clock);
  const change = { email: 'New@example.org', nonce: 'n', taken: false, unlimited: true };
  await here.account(alice, 'askEmailChange', change);
  assert.equal(await registrar.claim([next], alice), undefined);
  void here.askAccount(alice, 'confirmEmailChange', { nonce: 'n' });
  while (!(await isStored(tables, alice, 'emailChanged'))) await new Promise((resolve) => setImmediate(resolve));
  stage.kill(here.node);
  await here.start(2);
  await stage.clock.advance(60_000);
  assert.deepEqual(await Promise.all([former, next].map((name) => registrar.find(name))), [undefined, alice]);
  assert.equal((await tables.get(names, { name: next }))?.confirmed, true);
  assert.equal(await registrar.claim([former], other), undefined, 'somebody else may use it at once');
  assert.equal(await registrar.claim([next], other), next);
});

test('a crash after the rejection of a sign-up leaves its names free', async (t) => {
  const here = await town([]);
  t.after(() => here.stage.close());
  const { tables, stage } = here;
  const [id, other] = [1, 2].map((shard) => makeId(stage.clock.nowMs(), shard, 0)) as [string, string];
  const held = ['acct:wren', 'email:wren@example.org'];
  const registrar = new Registrar(tables, stage.clock);
  assert.equal(await registrar.claim(held, id), undefined);
  await here.account(id, 'register', { ...registration('wren'), approved: false });
  assert.deepEqual(await Promise.all(held.map((name) => registrar.find(name))), [id, id]);
  void here.askAccount(id, 'moderate', { action: 'reject', by: '', text: '', mail: false });
  while (!(await isStored(tables, id, 'moderated'))) await new Promise((resolve) => setImmediate(resolve));
  stage.kill(here.node);
  await here.start(2);
  await stage.clock.advance(60_000);
  assert.equal(await registrar.claim(held, other), undefined);
});

/** Returns true once the journal of an account has an event of the type. */
async function isStored(tables: ConstructorParameters<typeof Journal>[0], account: string, type: string) {
  for await (const { record } of new Journal(tables).read(`account/${account}`, 0, 9))
    if (record.events.some((event) => event.type === type)) return true;
  return false;
}
