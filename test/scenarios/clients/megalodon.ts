import assert from 'node:assert/strict';
import megalodon, { type MegalodonInterface } from 'megalodon';
import { until } from '../../kit/time/until.js';
import type { Person } from '../cluster/people.js';

const ARRIVAL_MS_MAX = 60_000;

type Client = MegalodonInterface;
// Its default export is a CommonJS function, seen through Node's modules.
const generator = ((megalodon as unknown as { default?: typeof megalodon }).default ?? megalodon) as unknown as (
  sns: 'mastodon',
  url: string,
  token: string,
) => Client;

/** Performs typical actions of apps based on megalodon: read, post, follow, mark, list, filter, report, leave. */
export async function playWithMegalodon(url: string, ada: Person, ben: Person): Promise<void> {
  const [a, b] = [generator('mastodon', url, ada.token), generator('mastodon', url, ben.token)];
  const instance = (await a.getInstance()).data;
  assert.ok(instance.version);
  assert.equal((await a.verifyAccountCredentials()).data.id, ada.id);
  assert.ok(Array.isArray((await a.getInstanceAnnouncements()).data));

  assert.equal((await b.followAccount(ada.id)).data.following, true);
  const posted = await a.postStatus('Hello #megalodon', { visibility: 'public' });
  const { id } = posted.data as { id: string };
  await until(
    'the post in the other one’s home',
    async () => (await b.getHomeTimeline()).data.some((status) => status.id === id) || undefined,
    ARRIVAL_MS_MAX,
  );
  assert.ok((await a.getPublicTimeline()).data.some((status) => status.id === id));
  assert.ok((await a.getTagTimeline('megalodon')).data.some((status) => status.id === id));
  assert.equal((await b.favouriteStatus(id)).data.favourited, true);
  assert.equal((await b.reblogStatus(id)).data.reblog?.id, id);
  assert.equal((await b.bookmarkStatus(id)).data.bookmarked, true);
  assert.equal((await b.getBookmarks()).data[0]?.id, id);
  assert.ok((await b.getFavourites()).data.some((status) => status.id === id));
  const answer = (await b.postStatus(`@${ada.name} hello`, { in_reply_to_id: id })).data as { id: string };
  assert.ok((await a.getStatusContext(id)).data.descendants.some((status) => status.id === answer.id));
  await until(
    'three kinds of notifications, a mention among them',
    async () => {
      const { data } = await a.getNotifications();
      const seen = new Set(data.map(({ type }) => type));
      return seen.size >= 3 && seen.has('mention') && seen;
    },
    ARRIVAL_MS_MAX,
  );
  assert.equal((await a.editStatus(id, { status: 'Hello again #megalodon' })).data.id, id);

  const list = (await b.createList('friends')).data;
  await b.addAccountsToList(list.id, [ada.id]);
  assert.equal((await b.getAccountsInList(list.id)).data[0]?.id, ada.id);
  assert.ok((await b.getListTimeline(list.id)).data.some((status) => status.id === id));
  const filter = (await b.createFilter('nothing of this', ['home'])).data;
  assert.ok((await b.getFilters()).data.some((one) => one.id === filter.id));
  assert.equal((await a.muteAccount(ben.id, true)).data.muting, true);
  assert.equal((await a.unmuteAccount(ben.id)).data.muting, false);
  assert.ok((await a.search('ben', { type: 'accounts' })).data.accounts.length >= 0);
  assert.ok((await a.report(ben.id, { comment: 'only trying' })).data.id);
  await a.deleteStatus(id);
  await assert.rejects(a.getStatus(id));
}
