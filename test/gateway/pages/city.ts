import { idShard } from '../../../actors/domain/ids.js';
import { accountKind } from '../../../actors/kinds/account.js';
import { conversationKind } from '../../../actors/kinds/conversation.js';
import { backlogKey } from '../../../actors/runtime/effects/backlog.js';
import { answererOf, askerOf } from '../../../actors/runtime/kind.js';
import { defaultLimits } from '../../../actors/runtime/limits.js';
import { HomeRings } from '../../../actors/timelines/home-rings.js';
import { Publications } from '../../../actors/timelines/publications.js';
import { NO_RING } from '../../../actors/timelines/ring-part.js';
import { cachedAlone } from '../../../compose/cached-rows.js';
import { fanOut, makePublicRing } from '../../../compose/home-rings.js';
import { LatestRows } from '../../../gateway/discovery/latest-rows.js';
import { TagHistories } from '../../../gateway/discovery/tag-histories.js';
import { WordLists } from '../../../gateway/discovery/word-lists.js';
import type { Services } from '../../../gateway/http/services.js';
import { StatusPages } from '../../../gateway/pages/status/status-pages.js';
import { ViewerMarks } from '../../../gateway/pages/status/viewer-marks.js';
import type { InstanceSettings } from '../../../gateway/settings/settings.js';
import { recentIds } from '../../../gateway/timelines/recent.js';
import { NOBODY_LIMITED } from '../../../gateway/viewing/account-limits.js';
import { Lenses } from '../../../gateway/viewing/lenses.js';
import { Caches } from '../../../store/cache/cache.js';
import { put, RANGE_LIMIT_MAX } from '../../../store/port.js';
import { backlog, journal } from '../../../store/tables.js';
import { noUploads } from '../../kit/actors/no-uploads.js';
import { Stage } from '../../kit/actors/stage.js';
import { silentMailbox } from '../../kit/actors/test-mailbox.js';
import { uploadsIn } from '../../kit/actors/uploads.js';

const instance: InstanceSettings = {
  baseUrl: 'https://here.example',
  domain: 'here.example',
  streamingUrl: 'wss://here.example',
  streamingRedirect: undefined,
  registrations: 'open',
  invites: 'staff',
  passwordGrant: false,
  devPages: false,
  authorizedFetch: false,
  compression: true,
  rateLimits: false,
  version: '0',
};

/** A node with everything that renders pages in production: rings, a cache of rows, cached JSON. */
export async function openCity(stage: Stage = new Stage()) {
  const log = { warn: () => undefined };
  let tables = cachedAlone(stage.shared);
  const rings = new HomeRings({
    clock: stage.clock,
    log,
    epochOf: () => 1,
    recent: (authors, limit) => recentIds(tables, stage.clock)(authors, limit),
  });
  const account = accountKind({
    ...instance,
    tables: stage.shared,
    rings,
    media: noUploads,
  });
  const conversation = conversationKind();
  const publicRing = makePublicRing(stage.shared, log);
  await fanOut([rings], publicRing, new Publications(stage.clock), stage.bus('gateway'));
  const node = await stage.node(1, {}, [account, conversation, silentMailbox()], (inner) => {
    tables = cachedAlone(inner);
    return tables;
  });
  const askAccount = askerOf(account, node.runtime);
  const askConversation = askerOf(conversation, node.runtime);
  const kept: Services = {
    instance,
    askAccount,
    accountNow: answererOf(account, node.runtime),
    askConversation,
    lenses: new Lenses(askAccount, stage.clock, NOBODY_LIMITED, answererOf(account, node.runtime)),
    limits: NOBODY_LIMITED,
    entries: { of: async () => [] } as never,
    askInstance: undefined as never,
    ...{ askReport: undefined as never, askArchive: undefined as never, askImports: undefined as never },
    publicRing,
    pages: new StatusPages(instance, new ViewerMarks(tables)),
    ...{ accountKeys: undefined as never, federation: undefined as never, inbox: undefined as never },
    tagHistories: new TagHistories(tables, stage.clock),
    latestRows: new LatestRows(tables, stage.clock),
    wordLists: new WordLists(tables, stage.clock),
    ...{ trends: undefined as never, knownServers: undefined as never },
    tables,
    caches: new Caches(),
    ...{ ...uploadsIn(stage.shared), remoteMedia: undefined as never },
    ...{ registry: undefined as never, operator: undefined as never },
    clock: stage.clock,
    idClock: stage.clock,
    random: undefined as never,
    keyedTokens: undefined as never,
    addressGuard: undefined as never,
    newAccountId: async () => '',
    newPlainId: () => '',
  };
  /** Services without any cache: each page is read, checked and rendered from the store. */
  const afresh = (): Services => {
    const lenses = new Lenses(askAccount, stage.clock);
    return {
      ...kept,
      tables: stage.shared,
      publicRing: { read: () => NO_RING },
      lenses: {
        of: (viewer: string) => lenses.of(viewer),
        latest: (viewer: string) => lenses.latest(viewer),
        home: async (viewer: string) => ({ view: await lenses.of(viewer), part: NO_RING }),
      } as unknown as Lenses,
    };
  };
  return { stage, kept, afresh, askAccount, askConversation, node };
}

export type City = Awaited<ReturnType<typeof openCity>>;

/** Another city, restored from the journals of this one by actors that have replayed them to the end. */
export async function replayed({ stage }: City, actors: readonly string[]): Promise<City> {
  const other = new Stage();
  for (const actor of actors) {
    const rows = await stage.shared.range(journal, { actor, bucket: 0 }, { limit: RANGE_LIMIT_MAX });
    for (const { key, value } of rows) await other.shared.write([put(journal, key, value)]);
    const shard = idShard(actor.slice(actor.indexOf('/') + 1));
    await other.shared.write([put(backlog, { shard, actor: backlogKey(1, actor, 1, 1) }, { atMs: 1 })]);
  }
  await other.clock.advance(stage.clock.nowMs() - other.clock.nowMs());
  const city = await openCity(other);
  // Effects of accounts that follow one another in a circle wait for one another, all at once here, until patience
  // ends.
  await other.clock.advance(2 * defaultLimits.patienceMs);
  return city;
}
