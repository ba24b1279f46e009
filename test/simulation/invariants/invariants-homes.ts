import { accountKind } from '../../../actors/kinds/account.js';
import { askerOf } from '../../../actors/runtime/kind.js';
import { NO_RING } from '../../../actors/timelines/ring-part.js';
import type { Services } from '../../../gateway/http/services.js';
import { readPage } from '../../../gateway/paging/page.js';
import { homeCursor, homeTimeline, selectShown } from '../../../gateway/timelines/home.js';
import { NOBODY_LIMITED } from '../../../gateway/viewing/account-limits.js';
import { PLACES } from '../../../gateway/viewing/judge.js';
import { Lenses } from '../../../gateway/viewing/lenses.js';
import { lonelyRings } from '../../kit/actors/lonely-rings.js';
import { noUploads } from '../../kit/actors/no-uploads.js';
import type { SimulatedNode } from '../node.js';
import type { Ended } from './invariants.js';

/**
 * Checks homes: no status twice, all own posts, no posts or reblogs of accounts that the viewer mutes or that block it.
 */
export async function homesAreRight(ended: Ended): Promise<void> {
  const { shared, ledger, accounts, world, nodes, violations } = ended;
  const node = nodes[0] as SimulatedNode;
  const rings = lonelyRings(shared, world.clockOf(node.process));
  const kind = accountKind({
    baseUrl: '',
    domain: 'here.example',
    tables: shared,
    rings,
    media: noUploads,
  });
  const askAccount = askerOf(kind, node.runtime);
  const services = {
    tables: shared,
    clock: world.clockOf(node.process),
    askAccount,
    lenses: new Lenses(askAccount, world.clockOf(node.process)),
    limits: NOBODY_LIMITED,
  } as unknown as Services;
  const merging = { ...services, lenses: merged(services.lenses) } as unknown as Services;
  for (const account of accounts) {
    const [held, made] = [await newest(services, account), await newest(merging, account)];
    if (held.join() !== made.join())
      violations.report('homesAreRight', `the ring of ${account} shows ${held.join()}, the store ${made.join()}`);
    const seen = new Set<string>();
    let before: string | undefined;
    for (;;) {
      const bounds = { limit: 40, before, after: undefined, upwards: false };
      const page = await homeTimeline(services, account, bounds as never);
      for (const { record } of page.items) {
        if (seen.has(record.id)) violations.report('homesAreRight', `${record.id} is twice in the home of ${account}`);
        seen.add(record.id);
        if (ledger.blocks.get(`${record.accountId}|${account}`) === 'yes' && record.accountId !== account) {
          violations.report('homesAreRight', `${account} sees ${record.id} of ${record.accountId}, who blocks it`);
        }
        for (const author of [record.accountId, record.reblogOfAccountId]) {
          if (ledger.mutes.get(`${account}|${author}`) === 'yes')
            violations.report('homesAreRight', `${account} sees ${record.id} of ${author}, whom it mutes`);
        }
      }
      if (page.oldest === undefined || !page.more) break;
      before = page.oldest;
    }
    const missing = ledger.posts.filter((post) => post.author === account && !seen.has(post.id));
    if (missing.length > 0)
      violations.report('homesAreRight', `the home of ${account} lacks ${missing.length} own posts`);
  }
}

/**
 * Returns the newest ids of a home, with the reblogs of statuses among older rows: the number of those rows depends on
 * their source, because a ring also contains removed statuses, and the store statuses for others.
 */
async function newest(services: Services, account: string): Promise<string[]> {
  const bounds = { limit: 200, before: undefined, after: undefined, upwards: false };
  const { view, part } = await services.lenses.home(account, bounds);
  const cursor = homeCursor(services, account, () => view.lens.authors, bounds, part);
  const select = selectShown(services, account, view.lens, PLACES.home);
  return (await readPage(cursor, bounds, select)).items.map(({ record }) => record.id);
}

/** Returns the same relations without rings. */
function merged(lenses: Lenses): Pick<Lenses, 'home'> {
  return { home: async (viewer) => ({ view: await lenses.of(viewer), part: NO_RING }) };
}
