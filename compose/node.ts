import { join } from 'node:path';
import type { Logger as PinoLogger } from 'pino';
import { IDS_PER_MS, makeId, SHARDS } from '../actors/domain/ids.js';
import { Unavailable } from '../actors/domain/problem.js';
import type { Random } from '../actors/domain/time.js';
import { accountKind } from '../actors/kinds/account.js';
import { conversationKind } from '../actors/kinds/conversation.js';
import { instanceKind } from '../actors/kinds/instance.js';
import { mailKind } from '../actors/kinds/mail.js';
import { reportKind } from '../actors/kinds/report.js';
import { webPageKind } from '../actors/kinds/web-page.js';
import { Registrar } from '../actors/registry.js';
import { Alarms } from '../actors/runtime/effects/alarms.js';
import { type AnyKind, answererOf, askerOf } from '../actors/runtime/kind.js';
import type { Placement } from '../actors/runtime/placement/placement.js';
import { StampClock } from '../actors/runtime/placement/stamp-clock.js';
import { SteadyClock } from '../actors/runtime/placement/steady-clock.js';
import { Runtime } from '../actors/runtime/runtime.js';
import { systemClock, systemRandom } from '../actors/runtime/system.js';
import type { HomeRings, RecentIds } from '../actors/timelines/home-rings.js';
import type { Settings } from '../cli/settings.js';
import { BUILT_SINCE } from '../cluster/format.js';
import { LatestRows } from '../gateway/discovery/latest-rows.js';
import { linkCards } from '../gateway/discovery/link-cards.js';
import { TagHistories, type Told } from '../gateway/discovery/tag-histories.js';
import { Trends } from '../gateway/discovery/trends.js';
import { type IndexTold, WordLists } from '../gateway/discovery/word-lists.js';
import type { Services } from '../gateway/http/services.js';
import { AddressBlocks } from '../gateway/moderation/address-blocks.js';
import { StatusPages } from '../gateway/pages/status-pages.js';
import { ViewerMarks } from '../gateway/pages/viewer-marks.js';
import { allRoutes } from '../gateway/routes/index.js';
import { type Server, startServer } from '../gateway/server.js';
import { CustomEmojis } from '../gateway/settings/custom-emojis.js';
import { InstanceEntries } from '../gateway/settings/entries.js';
import type { InstanceSettings } from '../gateway/settings/settings.js';
import { streamSources } from '../gateway/timelines/sources.js';
import { AccountLimits } from '../gateway/viewing/account-limits.js';
import { GuestHomes } from '../gateway/viewing/guest-homes.js';
import { Lenses } from '../gateway/viewing/lenses.js';
import { Workshop } from '../media/workshop.js';
import packageInfo from '../package.json' with { type: 'json' };
import { ParserPool } from '../parsers/parser-pool.js';
import type { NodeNodeStatus } from '../proto/gen/types.js';
import { Journal } from '../store/journal.js';
import { statusIndex } from '../store/tables.js';
import { WriteTimestamps } from '../store/write-timestamps.js';
import { AddressGuard } from '../transport/address-guard.js';
import { openMailer } from '../transport/mail/mailer.js';
import type { OperatorService } from '../transport/peer.js';
import { GuardedClient } from '../transport/web/guarded-client.js';
import { LinkPages } from '../transport/web/link-pages.js';
import { accountIds } from './account-ids.js';
import { cachedAlone, cachedTogether, rowCarrier } from './cached-rows.js';
import { closeDataFolder } from './data-folder.js';
import { fanOut, makeGuestRings, makeHomeRings, makePublicRing, withRings } from './home-rings.js';
import { InvalidationBarrier } from './invalidation-barrier.js';
import { openMembership } from './membership.js';
import { openBus, openMedia, openStore } from './parts.js';
import { PeerLiveness, UNHEARD_MS } from './peer-liveness.js';
import { relationNews } from './relation-news.js';
import { openKeyedTokens } from './token-secret.js';
import { withAlarms } from './with-alarms.js';

/** A running node, as the process or a test uses it. */
export interface Node {
  readonly services: Services;
  readonly runtime: Runtime;
  /** Home timelines of the accounts that live on this node. */
  readonly rings: HomeRings;
  /** Undefined until it listens. */
  readonly server: Server | undefined;
  /** Starts to serve HTTP; everything that must be available then has to be ready before. Call it once. */
  listen(): Promise<void>;
  status(): NodeNodeStatus;
  ready(): boolean;
  /**
   * Ends the node in order. Every answer from now on closes its connection. Shards are handed to other nodes while this
   * node still listens; then listening stops, requests in flight are answered, streams close with a hint to reconnect,
   * and the store closes. A node that cannot hand its shards over answers the requests first.
   * @param withinMs bounds the wait for requests in flight; default NODE_DRAIN_MS
   */
  drain(withinMs?: number): Promise<void>;
}

export interface NodeOptions {
  /** Called when a peer or an operator requests the drain. */
  readonly onDrainAsked?: () => void;
  /** Called when the node may not take part any more; the process ends with the error's one line. */
  readonly onRefused?: (why: Error) => void;
  /** Returns true when the process was asked to end during its start: all waits then end. */
  readonly isStopping?: () => boolean;
  /** Handles other operations that operators request over the network. */
  readonly onOperation?: OperatorService;
}

/** Default bound of a drain; a process that got SIGTERM has 15 s. */
const NODE_DRAIN_MS = 14_000;
/** Part of a drain's time that is reserved for closing runtime, bus and store after the last answer. */
const CLOSE_MS = 1_000;
/** Additional reserve for the snapshots of a node that keeps its shards until its requests are answered. */
const RELEASE_MS = 2_000;

/**
 * Builds and starts a node: actors and store, without listening yet. @throws Unavailable when store or bus cannot be
 * reached
 */
export async function startNode(settings: Settings, logger: PinoLogger, options: NodeOptions = {}): Promise<Node> {
  await closeDataFolder(settings.DATA_DIR, logger);
  const [clock, random] = [systemClock, systemRandom];
  let owners: Placement | undefined;
  const placement: Placement = {
    epochOf: (shard) => owners?.epochOf(shard),
    idFloorMs: () => owners?.idFloorMs() ?? 0,
    idCeilingMs: () => owners?.idCeilingMs?.() ?? Number.POSITIVE_INFINITY,
    format: () => owners?.format?.() ?? 0,
    clusterMs: () => owners?.clusterMs?.(),
    steadyMs: () => owners?.steadyMs?.(),
    ownerEpoch: (shard) => owners?.ownerEpoch?.(shard),
    stillOwns: async (shard, epoch) => (await owners?.stillOwns?.(shard, epoch)) ?? true,
  };
  const stamps = new StampClock(clock, placement);
  const timestamps = new WriteTimestamps(() => stamps.nowMs());
  const { isStopping } = options;
  const store = await openStore(settings, { clock, log: logger.child({ part: 'store' }), isStopping }, timestamps);
  const bus = await openBus(settings, { clock, log: logger.child({ part: 'bus' }), isStopping });
  const isAlone = settings.STORE === 'lmdb';
  const hearing = isAlone ? undefined : await PeerLiveness.open(bus, clock);
  const tables = isAlone ? cachedAlone(store) : await cachedTogether(store, bus, settings.NODE_NAME, hearing, clock);
  hearing?.onUnheard(() => tables.forget(undefined));
  const audience = isAlone ? undefined : await InvalidationBarrier.open(bus, clock, random);
  const heard = () => audience?.heard();
  const mailer = openMailer({
    smtpUrl: settings.SMTP_URL,
    from: settings.MAIL_FROM ?? `Murmuration <no-reply@${settings.DOMAIN.replace(/:\d+$/, '')}>`,
    folder: join(settings.DATA_DIR, 'mail'),
    log: logger.child({ part: 'mail' }),
  });
  // After the store, which only one process at a time can open in a folder.
  const keyedTokens = await openKeyedTokens(settings, random, tables, logger);
  const rings = makeHomeRings({
    tables,
    clock,
    placement,
    bus: isAlone ? undefined : bus,
    log: logger.child({ part: 'timelines' }),
  });
  const publicRing = makePublicRing(tables, logger.child({ part: 'timelines' }));
  const homes: Parameters<typeof fanOut>[0][number][] = [rings];
  await fanOut(homes, publicRing, bus);
  const media = await openMedia(settings, tables, clock);
  const parsers = new ParserPool(logger.child({ part: 'parsers' }));
  const workshop = new Workshop(media, random, parsers);
  const account = accountKind({ baseUrl: settings.BASE_URL, tables, rings, media: workshop });
  const instance = instanceKind();
  const report = reportKind({ tables });
  const addressGuard = new AddressGuard(settings.FEDERATION_ALLOW_CIDRS?.split(',').map((one) => one.trim()));
  const userAgent = `Murmuration/${packageInfo.version} (+${settings.BASE_URL})`;
  const web = new GuardedClient({ guard: addressGuard, userAgent });
  const link = webPageKind({
    tables,
    media: workshop,
    pages: new LinkPages(web, parsers, (bytes) => workshop.cardImage(bytes)),
  });
  const unread = (what: string) => (err: unknown) =>
    err instanceof Unavailable ? logger.warn({ err }, what) : logger.error({ err }, what);
  const limits = await AccountLimits.open(tables, clock, unread('failed to read the limits of accounts'));
  const conversation = conversationKind(tables, (account) => limits.silenced(account));
  const entries = new InstanceEntries(tables);
  const source = { entries, tables, clock, failed: unread('failed to read entries of the instance') };
  const emojis = await CustomEmojis.open(source, settings.BASE_URL);
  const runtime = new Runtime({
    kinds: [account, conversation, instance, report, link, mailKind({ mailer, clock, keyedTokens })].map(builtKind),
    tables,
    journal: new Journal(tables),
    bus,
    placement,
    clock,
    random,
    logger: logger.child({ part: 'actors' }),
    ...(isAlone ? {} : { carrier: rowCarrier(tables) }),
    heard,
  });
  const alarms = new Alarms({ tables, asker: runtime, placement, clock, logger: logger.child({ part: 'alarms' }) });
  const membership = await openMembership(settings, {
    tables,
    bus,
    clock,
    random,
    logger,
    runtime,
    host: withAlarms(withRings(runtime, rings), alarms),
    stampedMs: () => Math.max(runtime.mintedMs(), timestamps.reachedMs),
    placed: (found) => {
      owners = found;
    },
    ...options,
  });
  const askAccount = askerOf(account, runtime);
  const accountNow = answererOf(account, runtime);
  const news = isAlone ? undefined : await relationNews(bus, placement, hearing);
  const openGuests = (recent: RecentIds) => makeGuestRings({ clock, log: logger.child({ part: 'timelines' }) }, recent);
  const guests = isAlone ? undefined : new GuestHomes(openGuests, askAccount, tables);
  if (guests !== undefined) homes.push(guests);
  const about = { ...instanceOf(settings), emojis };
  const told: Told | undefined = isAlone ? (listener) => tables.onChanged(listener) : undefined;
  const indexTold: IndexTold | undefined = isAlone ? (listener) => tables.onIndexed(statusIndex, listener) : undefined;
  const linkCard = linkCards(askerOf(link, runtime));
  const tagHistories = new TagHistories(tables, clock, told);
  const services: Services = {
    instance: about,
    askAccount,
    accountNow,
    lenses: new Lenses(askAccount, clock, limits, accountNow, news, guests),
    publicRing,
    pages: new StatusPages(about, new ViewerMarks(tables)),
    askConversation: askerOf(conversation, runtime),
    askInstance: askerOf(instance, runtime),
    askReport: askerOf(report, runtime),
    entries,
    limits,
    tagHistories,
    latestRows: new LatestRows(tables, clock, told),
    wordLists: new WordLists(tables, clock, indexTold),
    trends: new Trends({ tables, clock, limits, tagHistories, linkCard, baseUrl: settings.BASE_URL }),
    tables,
    media,
    workshop,
    registry: new Registrar(tables, clock, heard, new SteadyClock(clock, placement)),
    clock,
    idClock: stamps,
    random,
    keyedTokens,
    addressGuard,
    newAccountId: accountIds(runtime, askerOf(instance, runtime), random),
    newPlainId: plainIds(stamps, random),
  };
  alarms.start();
  const { readiness, status, leave, close, company, cutOff } = membership;
  if (company !== undefined) {
    hearing?.watch(company);
    audience?.watch(company);
  }
  const ready = () => readiness().ready;
  let server: Server | undefined;
  const drain = async (withinMs = NODE_DRAIN_MS) => {
    const deadlineMs = clock.monotonicMs() + withinMs - CLOSE_MS;
    const finishRequests = async (reserveMs: number) =>
      server?.drain(Math.max(0, deadlineMs - reserveMs - clock.monotonicMs()));
    alarms.close();
    server?.announceDrain();
    // Requests in flight need their shards: on another node, or on this one until they are answered.
    const isHandingOver = membership.hasSuccessor();
    if (!isHandingOver) await finishRequests(RELEASE_MS);
    await leave();
    if (isHandingOver) await finishRequests(0);
    await server?.close();
    hearing?.close();
    audience?.close();
    runtime.close();
    await close();
    await web.close();
    parsers.close();
    await bus.close();
    await tables.close();
  };
  const listen = async () => {
    server = await startServer({
      routes: allRoutes,
      services,
      bus,
      streams: streamSources(services),
      bind: settings.BIND,
      port: Number(settings.PORT),
      blocked: await AddressBlocks.open(source),
      trustedProxies: (settings.TRUSTED_PROXIES ?? 'loopback').split(',').map((item) => item.trim()),
      logger: logger.child({ part: 'gateway' }),
      ready,
      ...(cutOff === undefined ? {} : { cutOff }),
      ...(hearing && { relationsAgeMaxMs: () => (hearing.hearsAll() ? Number.POSITIVE_INFINITY : UNHEARD_MS) }),
    });
  };
  return {
    services,
    runtime,
    rings,
    get server() {
      return server;
    },
    listen,
    status,
    ready,
    drain,
  };
}

/** Adds the `since` declarations of a build for tests to a kind. */
function builtKind(kind: AnyKind): AnyKind {
  const own = Object.entries(BUILT_SINCE).filter(([name]) => name.startsWith(`${kind.name}.`));
  if (own.length === 0) return kind;
  const since = Object.fromEntries(own.map(([name, format]) => [name.slice(kind.name.length + 1), format]));
  const built = (specs: AnyKind['commands'] | AnyKind['events']) =>
    Object.fromEntries(
      Object.entries(specs).map(([name, spec]) => [name, { ...spec, since: since[name] ?? spec.since }]),
    );
  return { ...kind, commands: built(kind.commands), events: built(kind.events) } as AnyKind;
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
  const streaming = settings.STREAMING_BASE_URL?.replace(/\/+$/, '');
  return {
    baseUrl: settings.BASE_URL,
    domain: settings.DOMAIN,
    streamingUrl: (streaming ?? settings.BASE_URL).replace(/^http/, 'ws'),
    streamingRedirect: streaming,
    registrations: (settings.REGISTRATIONS ?? 'open') as InstanceSettings['registrations'],
    passwordGrant: settings.PASSWORD_GRANT === 'on',
    rateLimits: settings.RATE_LIMITS !== 'off',
    ...(settings.RATE_LIMITS?.startsWith('{') === true ? { rateRules: settings.RATE_LIMITS } : {}),
    version: packageInfo.version,
  };
}
