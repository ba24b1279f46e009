import { join } from 'node:path';
import type { KeyedTokens } from '../actors/domain/keyed-tokens.js';
import { Unavailable } from '../actors/domain/problem.js';
import { AccountKeys } from '../actors/federation/account-keys.js';
import { accountKind } from '../actors/kinds/account.js';
import { archiveKind } from '../actors/kinds/archive.js';
import { conversationKind } from '../actors/kinds/conversation.js';
import { importsKind } from '../actors/kinds/imports.js';
import { instanceKind } from '../actors/kinds/instance.js';
import { mailKind } from '../actors/kinds/mail.js';
import { pushKind } from '../actors/kinds/push.js';
import { remoteHostKind } from '../actors/kinds/remote-host.js';
import { reportKind } from '../actors/kinds/report.js';
import { webPageKind } from '../actors/kinds/web-page.js';
import { MailFigures } from '../actors/mail/mail-figures.js';
import { PushFigures } from '../actors/push/figures.js';
import type { AlarmRow } from '../actors/runtime/effects/alarm-row.js';
import type { AnyKind } from '../actors/runtime/kind.js';
import { Runtime } from '../actors/runtime/runtime.js';
import type { HomeRings } from '../actors/timelines/home-rings.js';
import type { Publications } from '../actors/timelines/publications.js';
import { BUILT_SINCE } from '../cluster/format.js';
import { DomainLimits } from '../gateway/moderation/domain-limits.js';
import { emojiIn } from '../gateway/settings/custom-emoji.js';
import { CustomEmojis } from '../gateway/settings/custom-emojis.js';
import { InstanceEntries } from '../gateway/settings/entries.js';
import { RelayList } from '../gateway/settings/relay-list.js';
import { AccountLimits } from '../gateway/viewing/account-limits.js';
import { Workshop } from '../media/workshop.js';
import packageInfo from '../package.json' with { type: 'json' };
import { ParserPool } from '../parsers/parser-pool.js';
import { Journal } from '../store/journal.js';
import type { MediaStore } from '../store/media.js';
import { AddressGuard } from '../transport/address-guard.js';
import { openMailer } from '../transport/mail/mailer.js';
import type { WebPushSender } from '../transport/push/web-push-sender.js';
import { GuardedClient } from '../transport/web/guarded-client.js';
import { LinkPages } from '../transport/web/link-pages.js';
import { NameCache } from '../transport/web/name-cache.js';
import type { NodeBase } from './base.js';
import { rowCarrier } from './cached-rows.js';
import { CreatorSlot } from './federation/creator-slot.js';
import { openProxied, type Proxied } from './federation/media.js';
import { deliveryOf, type Federation, openFederation } from './federation.js';
import { AlertsSlot, ImportsSlot } from './gateway-slots.js';
import { openMedia } from './parts.js';
import { openPushSender } from './push-sender.js';
import { openKeyedTokens } from './token-secret.js';

/** The outside world of actors: uploads, parsers, other web servers, push services. */
export interface Outside {
  readonly media: MediaStore;
  readonly parsers: ParserPool;
  readonly workshop: Workshop;
  readonly addressGuard: AddressGuard;
  readonly web: GuardedClient;
  /** Files of other servers. */
  readonly proxied: Proxied;
  readonly push: WebPushSender;
  readonly accountKeys: AccountKeys;
  readonly federation: Federation;
  /** Limits of other servers. */
  readonly domains: DomainLimits;
  /** Relays to which the instance subscribes. */
  readonly relays: RelayList;
  /** Settings and keys of the instance, cached. */
  readonly entries: InstanceEntries;
  /** Custom emoji of the instance. */
  readonly emojis: CustomEmojis;
  readonly keyedTokens: KeyedTokens;
  readonly alerts: AlertsSlot;
  readonly imports: ImportsSlot;
  readonly creators: CreatorSlot;
  readonly pushes: PushFigures;
}

export async function openOutside(base: NodeBase): Promise<Outside> {
  const { settings, tables, clock, random, logger, caches } = base;
  // After the store, which only one process at a time can open in a folder.
  const keyedTokens = await openKeyedTokens(settings, random, tables, logger);
  const media = await openMedia(settings, tables, clock);
  const parsers = new ParserPool(logger.child({ part: 'parsers' }));
  const workshop = new Workshop(media, random, parsers);
  const addressGuard = new AddressGuard(settings.FEDERATION_ALLOW_CIDRS?.split(',').map((one) => one.trim()));
  const userAgent = `Murmuration/${packageInfo.version} (+${settings.BASE_URL})`;
  const { resolve } = new NameCache(clock, caches);
  const client = { guard: addressGuard, userAgent, resolve };
  const web = new GuardedClient(client);
  const entries = new InstanceEntries(tables);
  const push = openPushSender(base, { ...client, entries });
  const accountKeys = new AccountKeys(tables, clock, caches);
  const failed = unread(base, 'failed to read the limits of servers');
  const source = { entries, clock, failed };
  const domains = await DomainLimits.open(source, settings.LIMITED_FEDERATION === 'on', caches);
  const unreadEntries = unread(base, 'failed to read entries of the instance');
  const emojis = await CustomEmojis.open({ ...source, failed: unreadEntries }, settings.BASE_URL);
  const relays = await RelayList.open({ ...source, failed: unreadEntries });
  const federation = openFederation(base, client, accountKeys, domains);
  const missed = unread(base, 'failed to remove old files of other servers');
  const proxied = openProxied(base, client, media, domains, missed);
  const pushes = {
    alerts: new AlertsSlot(),
    imports: new ImportsSlot(),
    pushes: new PushFigures(),
    creators: new CreatorSlot(),
  };
  const signed = { accountKeys, federation, domains, relays };
  const clients = { web, proxied, push };
  return { media, parsers, workshop, addressGuard, ...clients, ...signed, entries, emojis, keyedTokens, ...pushes };
}

/** Logs a failed read of what is read again in the background. */
export const unread =
  ({ logger }: NodeBase, what: string) =>
  (err: unknown): void =>
    err instanceof Unavailable ? logger.warn({ err }, what) : logger.error({ err }, what);

/** The kinds of actors of a node. */
export interface Kinds {
  readonly account: ReturnType<typeof accountKind>;
  readonly archive: ReturnType<typeof archiveKind>;
  readonly imports: ReturnType<typeof importsKind>;
  readonly conversation: ReturnType<typeof conversationKind>;
  readonly instance: ReturnType<typeof instanceKind>;
  readonly report: ReturnType<typeof reportKind>;
  readonly webPage: ReturnType<typeof webPageKind>;
  readonly mail: ReturnType<typeof mailKind>;
  readonly push: ReturnType<typeof pushKind>;
  readonly host: ReturnType<typeof remoteHostKind>;
  readonly mailFigures: MailFigures;
  /** Limits of accounts, which conversations look up. */
  readonly limits: AccountLimits;
}

export async function openKinds(
  base: NodeBase,
  outside: Outside,
  rings: HomeRings,
  published: Publications,
): Promise<Kinds> {
  const { settings, tables, clock, random, logger } = base;
  const { media, workshop, parsers, web, keyedTokens, alerts, pushes, domains } = outside;
  const limits = await AccountLimits.open(
    tables,
    clock,
    unread(base, 'failed to read the limits of accounts'),
    domains,
  );
  const emojisIn = (...texts: readonly string[]) => emojiIn({ emojis: outside.emojis }, ...texts);
  const site = { baseUrl: settings.BASE_URL, domain: settings.DOMAIN };
  const mailLog = logger.child({ part: 'mail' });
  const mailer = openMailer({
    smtpUrl: settings.SMTP_URL,
    from: settings.MAIL_FROM ?? `Murmuration <no-reply@${settings.DOMAIN.replace(/:\d+$/, '')}>`,
    folder: join(settings.DATA_DIR, 'mail'),
    log: mailLog,
    clock,
  });
  const figures = new MailFigures();
  const pages = new LinkPages(web, parsers, (bytes) => workshop.cardImage(bytes), outside.creators.find);
  return {
    account: accountKind({
      ...{ ...site, tables, rings, media: workshop },
      federation: { emojiIn: emojisIn, publicPem: (id) => outside.accountKeys.publicPem(id) },
    }),
    archive: archiveKind({
      ...{ ...site, tables, media, emojiIn: emojisIn },
      nowMs: () => clock.nowMs(),
      publicPem: (id) => outside.accountKeys.publicPem(id),
      bytesMax: Number(settings.ARCHIVE_BYTES),
    }),
    imports: importsKind({ media, work: outside.imports }),
    conversation: conversationKind(tables, (account) => limits.silenced(account), published, {
      ...{ ...site, tables },
      emojiIn: emojisIn,
      nowMs: () => clock.nowMs(),
      relays: outside.relays,
    }),
    instance: instanceKind({ tables, baseUrl: settings.BASE_URL }),
    report: reportKind({ tables, baseUrl: settings.BASE_URL }),
    webPage: webPageKind({ tables, media: workshop, pages }),
    mail: mailKind({ site, mailer, clock, keyedTokens, figures, log: mailLog }),
    mailFigures: figures,
    push: pushKind({ alerts, sender: outside.push, clock, random, figures: pushes }),
    host: remoteHostKind(deliveryOf(base, outside)),
    limits,
  };
}

export function openRuntime(base: NodeBase, kinds: Kinds, alarmSet: (alarm: AlarmRow) => void): Runtime {
  const { tables, bus, placement, clock, stamps, random, logger, cluster, caches } = base;
  const { account, archive, imports, conversation, instance, report, webPage, mail, push, host } = kinds;
  return new Runtime({
    kinds: [account, archive, imports, conversation, instance, report, webPage, mail, push, host].map(builtKind),
    tables,
    journal: new Journal(tables, caches),
    caches,
    bus,
    placement,
    clock,
    stamps,
    random,
    logger: logger.child({ part: 'actors' }),
    ...(cluster === undefined ? {} : { carrier: rowCarrier(tables) }),
    untilReceived: () => cluster?.barrier.untilReceived(),
    alarmSet,
  });
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
