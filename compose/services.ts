import { withoutFinalSlashes } from '../actors/domain/addresses.js';
import { IDS_PER_MS, makeId, SHARDS } from '../actors/domain/ids.js';
import type { Random } from '../actors/domain/time.js';
import { returnedHosts } from '../actors/federation/delivery/returned-hosts.js';
import type { WaitingActivities } from '../actors/federation/inbox/waiting.js';
import { isMissing } from '../actors/federation/remote/port.js';
import { Registrar } from '../actors/registry.js';
import { answererOf, askerOf, receiverOf, revisionsOf } from '../actors/runtime/kind.js';
import type { StampClock } from '../actors/runtime/placement/stamp-clock.js';
import { SteadyClock } from '../actors/runtime/placement/steady-clock.js';
import type { Runtime } from '../actors/runtime/runtime.js';
import type { RecentIds } from '../actors/timelines/home-rings.js';
import type { PublicRing } from '../actors/timelines/public-ring.js';
import type { Settings } from '../cli/settings.js';
import type { Operator } from '../gateway/admin-measures/operator.js';
import { KnownServers } from '../gateway/discovery/known-servers.js';
import { LatestRows } from '../gateway/discovery/latest-rows.js';
import { linkCards } from '../gateway/discovery/link-cards.js';
import { TagHistories, type Told } from '../gateway/discovery/tag-histories.js';
import { Trends } from '../gateway/discovery/trends.js';
import { type IndexTold, WordLists } from '../gateway/discovery/word-lists.js';
import type { Services } from '../gateway/http/services.js';
import { NotificationAlerts } from '../gateway/notifications/alerts.js';
import { StatusPages } from '../gateway/pages/status/status-pages.js';
import { ViewerMarks } from '../gateway/pages/status/viewer-marks.js';
import { SlowHosts } from '../gateway/posting/slow-hosts.js';
import type { EntrySource } from '../gateway/settings/refreshed.js';
import type { InstanceSettings } from '../gateway/settings/settings.js';
import { GuestHomes } from '../gateway/viewing/guest-homes.js';
import { Lenses } from '../gateway/viewing/lenses.js';
import packageInfo from '../package.json' with { type: 'json' };
import { statusIndex } from '../store/tables.js';
import { accountIds } from './account-ids.js';
import { type Kinds, type Outside, unread } from './actors.js';
import type { NodeBase } from './base.js';
import { incomingServices, openInbox } from './federation/inbox.js';
import { localAccountNamed } from './federation/local-account.js';
import { openRemote } from './federation/remote.js';
import { makeGuestRings } from './home-rings.js';
import { relationNews } from './relation-news.js';

/** Services of the gateway, and the parts of them that the start of a node needs. */
export interface GatewayParts {
  readonly services: Services;
  /** Entries of the instance, for further settings that are refreshed. */
  readonly source: EntrySource;
  /** Homes of accounts of other nodes that are read here; undefined on an embedded node. */
  readonly guests: GuestHomes | undefined;
  /** Activities of other servers that wait for a fetch. */
  readonly waiting: WaitingActivities;
}

export async function openServices(
  base: NodeBase,
  outside: Outside,
  kinds: Kinds,
  runtime: Runtime,
  publicRing: PublicRing,
  operator: Operator,
): Promise<GatewayParts> {
  const { settings, tables, clock, random, placement, stamps, cluster, caches } = base;
  const { account, conversation, instance, report, webPage, limits } = kinds;
  const { media, workshop, keyedTokens, addressGuard, entries, accountKeys, federation } = outside;
  const source = { entries, clock, failed: unread(base, 'failed to read entries of the instance') };
  const about = { ...instanceOf(settings), emojis: outside.emojis };
  const [askAccount, accountNow] = [askerOf(account, runtime), answererOf(account, runtime)];
  const askInstance = askerOf(instance, runtime);
  const news = cluster && (await relationNews(base.bus, placement, cluster.liveness));
  const guests = cluster && new GuestHomes(guestRings(base), askAccount, tables, caches);
  const { rowsTold, indexTold } = toldOf(base);
  const tagHistories = new TagHistories(tables, clock, rowsTold, caches);
  const linkCard = linkCards(askerOf(webPage, runtime));
  const registry = registrarOf(base);
  const newAccountId = accountIds(runtime, askInstance, random);
  const remote = openRemote(base, kinds, runtime, { registry, newAccountId }, federation);
  const known = { ...remote, policies: outside.domains, relays: outside.relays, stamps: federation.stamps };
  outside.creators.fill(async (username, domain) => {
    if (domain === settings.DOMAIN.toLowerCase()) return localAccountNamed({ registry, tables }, username);
    const found = await remote.people.named(username, domain);
    return isMissing(found) ? undefined : found;
  });
  const incoming = incomingServices(base, kinds, runtime, { registry, newAccountId }, known);
  const heard = returnedHosts(tables, receiverOf(kinds.host, runtime));
  const { inbox, waiting } = await openInbox(base, incoming, federation.signatures, heard, federation.client);
  const services: Services = {
    instance: about,
    askAccount,
    accountNow,
    lenses: new Lenses(askAccount, clock, limits, accountNow, revisionsOf(account, runtime), news, guests, caches),
    publicRing,
    pages: new StatusPages(about, new ViewerMarks(tables, caches), caches),
    askConversation: askerOf(conversation, runtime),
    askInstance,
    askReport: askerOf(report, runtime),
    askArchive: askerOf(kinds.archive, runtime),
    askImports: askerOf(kinds.imports, runtime),
    entries,
    limits,
    tagHistories,
    latestRows: new LatestRows(tables, clock, rowsTold, caches),
    knownServers: new KnownServers(tables, clock, entries),
    wordLists: new WordLists(tables, clock, indexTold, caches),
    trends: new Trends({ tables, clock, limits, tagHistories, linkCard, baseUrl: settings.BASE_URL }),
    ...{
      tables,
      media,
      remoteMedia: outside.proxied.files,
      workshop,
      clock,
      random,
      keyedTokens,
      addressGuard,
      idClock: stamps,
      caches,
    },
    ...{ registry, operator, inbox },
    accountKeys,
    federation: { ...federation, ...remote, keys: remote.people, slowHosts: new SlowHosts(base.clock, base.caches) },
    newAccountId,
    newPlainId: plainIds(stamps, random),
  };
  outside.alerts.fill(new NotificationAlerts(services));
  return { services, source, guests, waiting };
}

/** Names are claimed for all nodes. */
function registrarOf({ tables, clock, placement, cluster, caches }: NodeBase): Registrar {
  const untilReceived = () => cluster?.barrier.untilReceived();
  return new Registrar(tables, clock, untilReceived, new SteadyClock(clock, placement), caches);
}

const guestRings =
  ({ clock, logger }: NodeBase) =>
  (recent: RecentIds) =>
    makeGuestRings({ clock, log: logger.child({ part: 'timelines' }) }, recent);

/** An embedded node learns of every change of a row; in a cluster the caches of others' rows expire instead. */
function toldOf({ tables, cluster }: NodeBase): { rowsTold: Told | undefined; indexTold: IndexTold | undefined } {
  if (cluster !== undefined) return { rowsTold: undefined, indexTold: undefined };
  return {
    rowsTold: (listener) => tables.onChanged(listener),
    indexTold: (listener) => tables.onIndexed(statusIndex, listener),
  };
}

/** Cycles through all shards: random ids would collide within a millisecond, once in 100,000. */
function plainIds(stamps: StampClock, random: Random): () => string {
  let turn = Math.floor(random.fraction() * SHARDS * IDS_PER_MS);
  return () => {
    turn = (turn + 1) % (SHARDS * IDS_PER_MS);
    return makeId(stamps.nowMs(), turn % SHARDS, Math.floor(turn / SHARDS));
  };
}

function instanceOf(settings: Settings): InstanceSettings {
  const streaming = settings.STREAMING_BASE_URL && withoutFinalSlashes(settings.STREAMING_BASE_URL);
  return {
    baseUrl: settings.BASE_URL,
    domain: settings.DOMAIN,
    streamingUrl: (streaming ?? settings.BASE_URL).replace(/^http/, 'ws'),
    streamingRedirect: streaming,
    registrations: (settings.REGISTRATIONS ?? 'open') as InstanceSettings['registrations'],
    invites: settings.INVITES === 'everyone' ? 'everyone' : 'staff',
    passwordGrant: settings.PASSWORD_GRANT === 'on',
    devPages: settings.DEV_PAGES === 'on',
    authorizedFetch: settings.AUTHORIZED_FETCH === 'on',
    rateLimits: settings.RATE_LIMITS !== 'off',
    compression: settings.COMPRESSION !== 'off',
    ...(settings.RATE_LIMITS?.startsWith('{') === true ? { rateRules: settings.RATE_LIMITS } : {}),
    version: packageInfo.version,
  };
}
