import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idShard, makeId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { conversationKind } from '../../../actors/kinds/conversation.js';
import { webPageKind } from '../../../actors/kinds/web-page.js';
import { askerOf } from '../../../actors/runtime/kind.js';
import { CARD_MS, HOLDERS_MAX, HOLDERS_PER_PART, linkId } from '../../../actors/web-page/web-page.js';
import type { LinkCard, StoreStatusRecord } from '../../../proto/gen/types.js';
import { journal, linkHolders, statuses } from '../../../store/tables.js';
import { STAGE_SHARDS, Stage } from '../../kit/actors/stage.js';

const addresses = Array.from({ length: 5_000 }, (_, n) => `https://news.example/${n}`);
const url = addresses.find((one) => STAGE_SHARDS.includes(idShard(linkId(one)))) ?? '';
const page = (title: string, image: string): LinkCard => ({
  ...{ url, title, image, description: '', type: 'link', authorName: '', authorUrl: '', providerName: '' },
  ...{ providerUrl: '', width: 0, height: 0, blurhash: '', publishedAtMs: 0 },
});

/** Returns a web page, and statuses that link to it. */
async function web() {
  const stage = new Stage();
  let shown = page('At first', 'first.jpg');
  const removed: string[] = [];
  const link = webPageKind({
    tables: stage.shared,
    media: { remove: async (name: string) => void removed.push(name) },
    pages: { card: async () => shown, linksBack: async () => false },
  });
  const conversation = conversationKind(stage.shared);
  const node = await stage.node(1, {}, [link, conversation]);
  const settled = async <T>(answer: Promise<T>): Promise<T> => {
    await stage.clock.settle();
    return answer;
  };
  const askLink = askerOf(link, node.runtime);
  const askConversation = askerOf(conversation, node.runtime);
  let minted = 0;
  /** Requests the card for another status, which exists or not. */
  const want = async (isThere: boolean): Promise<string> => {
    const id = makeId(stage.clock.nowMs() + ++minted, 0, 0);
    if (isThere) {
      const said = { text: url, html: '', spoilerText: '', visibility: 'unlisted', sensitive: false, mentions: [] };
      const counts = { tags: [], createdAtMs: 1, editedAtMs: 0, favourites: 0, reblogs: 0, replies: 0, deleted: false };
      const status: StoreStatusRecord = { id, accountId: makeId(1, 0, 1), conversationId: id, ...said, ...counts };
      assert.ok(!isProblem(await settled(askConversation(id, 'add', { status }))));
    } else await settled(askLink(linkId(url), 'wantCard', { url, by: { statusId: id, conversationId: id } }));
    await stage.clock.settle();
    return id;
  };
  const cardOf = async (status: string) => (await stage.shared.get(statuses, { status }))?.card;
  return {
    stage,
    removed,
    want,
    cardOf,
    show: (next: LinkCard) => {
      shown = next;
    },
  };
}

test('all statuses that show a page get its changed card, and then its old image is removed', async () => {
  const here = await web();
  const rows = async (part: number) =>
    (await here.stage.shared.range(linkHolders, { link: linkId(url), part }, { limit: 2 * HOLDERS_PER_PART })).length;
  const all = [await here.want(true)];
  while ((await rows(0)) === 0) await here.want(false);
  while ((await rows(1)) < 2) {
    const isThere = (await rows(0)) % 250 === 1 || (await rows(1)) === 1;
    const id = await here.want(isThere);
    if (isThere) all.push(id);
  }
  assert.ok(all.length >= 4);
  for (const id of all) assert.equal((await here.cardOf(id))?.title, 'At first');
  here.show(page('Later', 'second.jpg'));
  await here.stage.clock.advance(CARD_MS);
  assert.deepEqual(here.removed, []);
  all.push(await here.want(true));
  await here.stage.clock.settle();
  for (const id of all) assert.equal((await here.cardOf(id))?.title, 'Later', id);
  assert.deepEqual([here.removed, await rows(0)], [['first.jpg'], HOLDERS_PER_PART], 'a slice is bounded');
  here.stage.close();
});

test('an unchanged page updates only waiting statuses, and its new image is removed', async () => {
  const here = await web();
  const first = await here.want(true);
  const ago = (await here.stage.shared.range(journal, { actor: `conversation/${first}`, bucket: 0 }, { limit: 10 }))
    .length;
  here.show(page('At first', 'copy.jpg'));
  await here.stage.clock.advance(CARD_MS);
  const second = await here.want(true);
  const rows = await here.stage.shared.range(journal, { actor: `conversation/${first}`, bucket: 0 }, { limit: 10 });
  for (const id of [first, second]) assert.equal((await here.cardOf(id))?.image, 'first.jpg');
  assert.deepEqual([rows.length, here.removed], [ago, ['copy.jpg']]);
  here.stage.close();
});

test('a page that few statuses show has no rows', async () => {
  const here = await web();
  for (let n = 0; n < 20; n++) await here.want(n % 10 === 0);
  assert.ok(HOLDERS_MAX > 20);
  assert.deepEqual(await here.stage.shared.range(linkHolders, { link: linkId(url), part: 0 }, { limit: 1 }), []);
  here.stage.close();
});
