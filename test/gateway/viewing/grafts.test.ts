import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GRAFTS_FOLLOWED_MAX } from '../../../actors/conversation/graft.js';
import { conversationSlices } from '../../../actors/conversation/slices.js';
import { initialConversation } from '../../../actors/conversation/state.js';
import { CONTEXT_MAX } from '../../../actors/conversation/thread.js';
import { storedId } from '../../../actors/domain/ids.js';
import { joined } from '../../../actors/runtime/slice.js';
import { GRAFTED_MAX, openWithGrafts, withGrafts } from '../../../gateway/viewing/grafts.js';
import type { ConversationThread, StoreStatusRecord } from '../../../proto/gen/types.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import { put } from '../../../store/port.js';
import { statuses } from '../../../store/tables.js';
import { status } from '../../actors/conversation/thread-of-one.js';
import { given } from '../../kit/actors/given.js';

const slice = joined(conversationSlices);
const idOf = (number: number): string => storedId(String(number));

/** Conversations as their actors have them, with the rows of their statuses. */
class Forest {
  /** Conversations that were asked for a context, in order. */
  readonly asked: string[] = [];
  readonly tables = new MemoryTables();
  readonly #conversations = new Map<string, ReturnType<typeof Forest.empty>>();

  static empty() {
    return given(slice, initialConversation());
  }

  /** Adds a status to a conversation, which begins with its first. */
  async add(conversation: number, number: number, parent?: number): Promise<void> {
    const [id, conversationId] = [idOf(number), idOf(conversation)];
    const inReplyToId = parent === undefined ? undefined : idOf(parent);
    const record = status({ id, conversationId, inReplyToId });
    this.#at(conversation).when('add', { status: record });
    await this.tables.write([put(statuses, { status: id }, record)]);
  }

  /** Grafts a reply, which has begun a conversation, on a status. */
  async graft(conversation: number, parent: number, reply: number): Promise<void> {
    const [statusId, parentId, conversationId] = [idOf(reply), idOf(parent), idOf(conversation)];
    const named = { statusId, parentId, parentAccountId: 'author', conversationId, gone: false };
    const child = this.#at(reply).when('nameParent', named);
    this.#at(conversation).when('graft', { statusId: parentId, replyId: statusId, open: true });
    const { record } = child.state.statuses.get(statusId) ?? assert.fail();
    await this.tables.write([put(statuses, { status: statusId }, record)]);
  }

  async remove(conversation: number, number: number): Promise<void> {
    const removed = this.#at(conversation).when('remove', { statusId: idOf(number), by: 'author' });
    const { record } = removed.state.statuses.get(idOf(number)) ?? assert.fail();
    await this.tables.write([put(statuses, { status: idOf(number) }, record)]);
  }

  /** Returns the numbers of the statuses above and below one. */
  async around(number: number): Promise<{ above: number[]; below: number[] }> {
    const root = (await this.tables.get(statuses, { status: idOf(number) })) ?? assert.fail();
    const thread = this.#context(root.conversationId, root);
    this.asked.length = 0;
    const askConversation = async (id: string, _command: string, { statusId }: { readonly statusId: string }) => {
      this.asked.push(id);
      return this.#context(id, { id: statusId });
    };
    const services = { tables: this.tables, askConversation, federation: { notes: { known: async () => undefined } } };
    const { ancestors, descendants } = await withGrafts(
      services as unknown as Parameters<typeof withGrafts>[0],
      root,
      thread,
    );
    return { above: ancestors.map(Number), below: descendants.map(Number) };
  }

  /** Returns the numbers of the statuses of a conversation on all its pages of this length, and the number of pages. */
  async open(conversation: number, limit: number): Promise<{ numbers: number[]; pages: number }> {
    const numbers: number[] = [];
    const askConversation = async (id: string, _command: string, asked: object) =>
      this.#at(Number(id)).when('listOpen', { parentId: '', after: '', limit, ...asked }).reply;
    const services = { askConversation } as unknown as Parameters<typeof openWithGrafts>[0];
    for (let [after, pages] = ['', 1]; ; pages += 1) {
      const { ids, more } = await openWithGrafts(services, idOf(conversation), { after, limit });
      numbers.push(...ids.map(Number));
      after = ids.at(-1) ?? '';
      if (!more) return { numbers, pages };
    }
  }

  #context(conversation: string, { id: statusId }: Pick<StoreStatusRecord, 'id'>): ConversationThread {
    const { reply, lastProblem } = this.#at(Number(conversation)).when('context', { statusId });
    return (reply ?? lastProblem) as ConversationThread;
  }

  #at(conversation: number) {
    const known = this.#conversations.get(idOf(conversation)) ?? Forest.empty();
    this.#conversations.set(idOf(conversation), known);
    return known;
  }
}

test('grafted replies stand below what they answer, with their own replies', async () => {
  const forest = new Forest();
  await forest.add(1, 1);
  await forest.add(1, 2, 1);
  await forest.add(3, 3);
  await forest.add(3, 4, 3);
  await forest.add(1, 5, 1);
  await forest.graft(1, 2, 3);
  assert.deepEqual(await forest.around(1), { above: [], below: [2, 3, 4, 5] });
  assert.deepEqual(await forest.around(2), { above: [1], below: [3, 4] });
  assert.deepEqual(await forest.around(4), { above: [1, 2, 3], below: [] });
  await forest.remove(3, 3);
  assert.deepEqual((await forest.around(1)).below, [2, 3, 5], 'the judge leaves out what is deleted');
  assert.deepEqual((await forest.around(4)).above, []);
});

test('a whole conversation is listed in pages with the statuses of its grafts, each once', async () => {
  const forest = new Forest();
  for (const [conversation, number, parent] of [
    [1, 1],
    [1, 2, 1],
    [3, 3],
    [3, 4, 3],
    [1, 5, 1],
    [6, 6],
  ] as const)
    await forest.add(conversation, number, parent);
  await forest.graft(1, 2, 3);
  await forest.graft(3, 4, 6);
  assert.deepEqual(await forest.open(1, 40), { numbers: [1, 2, 3, 4, 5, 6], pages: 1 });
  assert.deepEqual(await forest.open(1, 2), { numbers: [1, 2, 3, 4, 5, 6], pages: 3 });
});

test('statuses that answer each other in a circle through three conversations have one place each', async () => {
  const forest = new Forest();
  for (const number of [1, 2, 3]) await forest.add(number, number);
  for (const [parent, reply] of [
    [1, 2],
    [2, 3],
    [3, 1],
  ] as const)
    await forest.graft(parent, parent, reply);
  for (const number of [1, 2, 3]) {
    const { above, below } = await forest.around(number);
    const all = [...above, ...below, number];
    assert.deepEqual([all.length, new Set(all).size], [3, 3], `${all}`);
  }
});

test('a context follows a bounded number of conversations, those next to the status first', async () => {
  const forest = new Forest();
  await forest.add(1, 1);
  for (let reply = 10; reply < 30; reply++) {
    await forest.add(reply, reply);
    await forest.add(reply, reply + 100, reply);
    await forest.graft(1, 1, reply);
  }
  const { below } = await forest.around(1);
  assert.equal(forest.asked.length, GRAFTS_FOLLOWED_MAX);
  assert.equal(below.length, 20 + GRAFTS_FOLLOWED_MAX);
  for (let number = 200; number < 220; number++) {
    await forest.add(number, number);
    if (number > 200) await forest.graft(number - 1, number - 1, number);
  }
  const middle = await forest.around(210);
  assert.deepEqual([middle.above.length, middle.below.length], [GRAFTS_FOLLOWED_MAX, GRAFTS_FOLLOWED_MAX + 1]);
  assert.equal(forest.asked.length, 2 * GRAFTS_FOLLOWED_MAX);
});

test('grafts bring a bounded number of statuses', async () => {
  const forest = new Forest();
  for (const first of [10_000, 20_000]) {
    for (let n = 0; n < 3_000; n++) await forest.add(first, first + n, n === 0 ? undefined : first + n - 1);
    if (first > 10_000) await forest.graft(10_000, 12_999, first);
  }
  const { below } = await forest.around(10_000);
  assert.deepEqual([below.length, below.at(-1)], [CONTEXT_MAX, 20_000 + CONTEXT_MAX - 3_000]);
  assert.equal((await forest.around(20_000)).above.length, GRAFTED_MAX);
});
