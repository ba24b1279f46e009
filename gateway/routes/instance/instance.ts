import { createHash } from 'node:crypto';
import { type TSchema, Type } from '@sinclair/typebox';
import { isProblem, problem } from '../../../actors/domain/problem.js';
import { languageName } from '../../../actors/domain/text/language.js';
import { renderHtml } from '../../../actors/domain/text/plain-text.js';
import { vapidKeys } from '../../../actors/instance/keys.js';
import type { InstanceEntry } from '../../../proto/gen/types.js';
import { activeIn, DAY_MS, type Statistics, statisticsOf, WEEKS_COUNTED } from '../../admin-measures/statistics.js';
import { day, entity, nullable, oneOf, time, uri } from '../../http/entity.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { Instance, renderInstance, renderInstanceV1, V1Instance, versionText } from '../../pages/instance/instance.js';
import { Rule, renderRule } from '../../pages/instance/rule.js';
import { isoTime } from '../../paging/iso-time.js';
import type { AUDIENCE_SETTINGS } from '../../settings/names.js';
import { notFound } from '../../viewing/visible.js';
import { aboutOf } from './about.js';

/** The REST API's TermsOfService. */
const TermsOfService = entity('TermsOfService', {
  content: Type.String(),
  effective: Type.Boolean(),
  effective_date: day(),
  succeeded_by: Type.Optional(nullable(day())),
});

/** The REST API's DomainBlock. */
const DomainBlock = entity('DomainBlock', {
  digest: Type.String(),
  domain: Type.String(),
  severity: oneOf('silence', 'suspend'),
  comment: Type.Optional(nullable(Type.String())),
});

/** The REST API's ExtendedDescription. */
const ExtendedDescription = entity('ExtendedDescription', {
  content: Type.String(),
  updated_at: nullable(time()),
});

/** The REST API's PrivacyPolicy. */
const PrivacyPolicy = entity('PrivacyPolicy', {
  content: Type.String(),
  updated_at: time(),
});

const Week = Type.Object({
  week: Type.String(),
  statuses: Type.String(),
  logins: Type.String(),
  registrations: Type.String(),
});
const Language = Type.Object({ code: Type.String(), name: Type.String() });
const NodeInfoLinks = Type.Object({ links: Type.Array(Type.Object({ rel: Type.String(), href: uri() })) });

const WEEK_DAYS = 7;
/** Days from the epoch to a Monday, by which weeks are aligned: 1970 began on a Thursday. */
const MONDAY_DAYS = 4;

/** Declares a public route. */
function tell(path: string, answer: TSchema, what: (services: Services) => unknown): AnyRoute {
  const handle = async ({ services }: { readonly services: Services }) => {
    const told = await what(services);
    return isProblem(told) ? told : json(told);
  };
  return route({ method: 'GET', path, auth: 'none', answer, handle });
}

/** Renders the extended description. As in Mastodon, a description that nobody has written has no modification time. */
async function extendedDescription(services: Pick<Services, 'entries' | 'instance'>) {
  const told = await textSetting(services, 'extended_description');
  const isWritten = (await services.entries.setting('extended_description')) !== undefined;
  return isWritten ? told : { ...told, updated_at: null };
}

async function textSetting({ entries, instance }: Pick<Services, 'entries' | 'instance'>, name: string) {
  const entry = await entries.setting(name);
  return {
    updated_at: isoTime(entry?.updatedAtMs ?? 0),
    content: renderHtml(entry?.text?.text ?? '', { mentions: new Map(), baseUrl: instance.baseUrl }),
  };
}

function activity({ days, atMs }: Statistics) {
  const today = Math.floor(atMs / DAY_MS);
  const monday = today - ((today - MONDAY_DAYS) % WEEK_DAYS);
  return Array.from({ length: WEEKS_COUNTED }, (_, back) => {
    const first = monday - back * WEEK_DAYS;
    const counted = Array.from({ length: WEEK_DAYS }, (_day, index) => days.get(first + index));
    const sum = (of: 'statuses' | 'registrations') => counted.reduce((all, day) => all + (day?.[of] ?? 0), 0);
    return {
      week: String((first * DAY_MS) / 1_000),
      statuses: String(sum('statuses')),
      logins: String(activeIn(days, first, first + WEEK_DAYS - 1)),
      registrations: String(sum('registrations')),
    };
  });
}

/**
 * Returns the domain as the public list shows it. Stars replace some letters of an obfuscated domain, so that only
 * people who know the domain recognise it.
 */
function shownDomain({ key, domain }: InstanceEntry): string {
  if (domain?.obfuscate !== true) return key;
  const from = Math.floor(key.length / 4);
  return [...key].map((sign, index) => (index >= from && index < from * 3 && sign !== '.' ? '*' : sign)).join('');
}

/** Returns the limits of domains, as far as the operator publishes them to the viewer. */
async function domainBlocks({ entries }: Pick<Services, 'entries'>, viewer: string | undefined) {
  const audience = await audienceOf(entries, 'show_domain_blocks');
  if (audience === 'disabled') return problem('not_found', 'This server does not publish its domain blocks');
  if (audience === 'users' && viewer === undefined) return problem('unauthorized', 'Please sign in');
  const reasons = await audienceOf(entries, 'show_domain_blocks_rationale');
  const hasReasons = reasons === 'all' || (reasons === 'users' && viewer !== undefined);
  const blocks = (await entries.of('domain_blocks')).filter(({ domain }) => domain?.severity !== 'noop');
  return json(
    blocks.map((entry) => ({
      domain: shownDomain(entry),
      digest: createHash('sha256').update(entry.key).digest('hex'),
      severity: entry.domain?.severity ?? 'silence',
      ...(hasReasons && { comment: entry.domain?.publicComment || null }),
    })),
  );
}

/** Returns who sees what a setting is about. Without the setting everybody does. */
async function audienceOf(entries: Services['entries'], name: (typeof AUDIENCE_SETTINGS)[number]): Promise<string> {
  return (await entries.setting(name))?.text?.text ?? 'all';
}

/** Returns the terms by effective date, newest first. */
async function termsOf({ entries }: Pick<Services, 'entries'>) {
  return [...(await entries.of('terms'))].sort((one, other) => (one.key < other.key ? 1 : -1));
}

/** Returns the terms that are effective today, otherwise the first that will be; undefined if there are none. */
export async function termsThatHold(services: Pick<Services, 'entries' | 'clock'>): Promise<InstanceEntry | undefined> {
  const all = await termsOf(services);
  const today = isoTime(services.clock.nowMs()).slice(0, 10);
  return all.find(({ key }) => key <= today) ?? all.at(-1);
}

async function renderTerms(
  services: Pick<Services, 'entries' | 'instance' | 'clock'>,
  entry: InstanceEntry | undefined,
) {
  if (entry === undefined) return notFound();
  const all = await termsOf(services);
  const today = isoTime(services.clock.nowMs()).slice(0, 10);
  const successor = all[all.findIndex(({ key }) => key === entry.key) - 1];
  return json({
    effective_date: entry.key,
    effective: entry.key <= today,
    content: renderHtml(entry.text?.text ?? '', { mentions: new Map(), baseUrl: services.instance.baseUrl }),
    succeeded_by: successor?.key ?? null,
  });
}

const currentTerms = route({
  method: 'GET',
  path: '/api/v1/instance/terms_of_service',
  auth: 'none',
  answer: TermsOfService,
  handle: async ({ services }) => renderTerms(services, await termsThatHold(services)),
});

const datedTerms = route({
  method: 'GET',
  path: '/api/v1/instance/terms_of_service/:date',
  auth: 'none',
  params: Type.Object({ date: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }) }),
  answer: TermsOfService,
  handle: async ({ services, params }) =>
    renderTerms(
      services,
      (await termsOf(services)).find(({ key }) => key === params.date),
    ),
});

const NODE_INFO_VERSIONS = ['2.0', '2.1'] as const;
const nodeInfoSchema = (version: string) => `http://nodeinfo.diaspora.software/ns/schema/${version}`;

/** Declares a NodeInfo document. The version has no spaces, as the schema demands. */
function nodeInfo(version: (typeof NODE_INFO_VERSIONS)[number]): AnyRoute {
  return route({
    method: 'GET',
    path: `/nodeinfo/${version}`,
    auth: 'none',
    handle: async ({ services }) => {
      const { instance } = services;
      const { totals, sourceUrl, title, description } = await aboutOf(services);
      const { users, statuses, activeMonth, activeHalfYear } = totals;
      const software = { name: 'murmuration', version: instance.version };
      return {
        status: 200,
        headers: { 'content-type': `application/json; profile="${nodeInfoSchema(version)}#"; charset=utf-8` },
        body: JSON.stringify({
          version,
          software: version === '2.0' ? software : { ...software, repository: sourceUrl },
          protocols: ['activitypub'],
          services: { inbound: [], outbound: [] },
          openRegistrations: instance.registrations === 'open',
          usage: { users: { total: users, activeMonth, activeHalfyear: activeHalfYear }, localPosts: statuses },
          metadata: { nodeName: title, nodeDescription: description, apiVersion: versionText(instance) },
        }),
      };
    },
  });
}

/** Information about the instance, for clients and other servers. */
export const instanceRoutes: readonly AnyRoute[] = [
  tell('/api/v1/instance', V1Instance, async (services) =>
    renderInstanceV1(services.instance, await aboutOf(services)),
  ),
  tell('/api/v2/instance', Instance, async (services) =>
    renderInstance(services.instance, await aboutOf(services), (await vapidKeys(services)).publicKey),
  ),
  tell('/api/v1/instance/rules', Type.Array(Rule), async ({ entries }) => (await entries.of('rules')).map(renderRule)),
  tell('/api/v1/instance/peers', Type.Array(Type.String()), ({ knownServers }) => knownServers.peers()),
  tell('/api/v1/instance/activity', Type.Array(Week), async (services) => activity(await statisticsOf(services))),
  tell('/api/v1/instance/extended_description', ExtendedDescription, extendedDescription),
  tell('/api/v1/instance/privacy_policy', PrivacyPolicy, (services) => textSetting(services, 'privacy_policy')),
  tell('/api/v1/instance/translation_languages', Type.Record(Type.String(), Type.Array(Type.String())), () => ({})),
  tell('/api/v1/instance/languages', Type.Array(Language), async (services) =>
    (await aboutOf(services)).languages.map((code) => ({ code, name: languageName(code) })),
  ),
  route({
    method: 'GET',
    path: '/api/v1/instance/domain_blocks',
    auth: 'optional',
    scope: 'read',
    answer: Type.Array(DomainBlock),
    handle: ({ services, viewer }) => domainBlocks(services, viewer),
  }),
  currentTerms,
  datedTerms,
  tell('/.well-known/nodeinfo', NodeInfoLinks, ({ instance }) => ({
    links: NODE_INFO_VERSIONS.map((version) => ({
      rel: nodeInfoSchema(version),
      href: `${instance.baseUrl}/nodeinfo/${version}`,
    })),
  })),
  ...NODE_INFO_VERSIONS.map(nodeInfo),
];
