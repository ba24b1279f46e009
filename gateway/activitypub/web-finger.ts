import { Type } from '@sinclair/typebox';
import { accountUri, accountUrl } from '../../actors/domain/addresses.js';
import { fileType, fileUrl } from '../../actors/domain/media.js';
import { isProblem, problem } from '../../actors/domain/problem.js';
import { isSuspended } from '../../actors/domain/standing.js';
import { instanceActorUri, instanceName } from '../../actors/federation/documents/actor.js';
import { ACTIVITY_TYPE } from '../../actors/federation/documents/context.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { PAGE_VARY } from '../http/accept.js';
import { type Answer, type AnyRoute, route } from '../http/route.js';
import type { InstanceSettings } from '../settings/settings.js';
import { notFound } from '../viewing/visible.js';
import { ownerNamed } from './owners.js';

/** Longest resource that is read: addresses of people are shorter. */
const RESOURCE_CHARS_MAX = 2_048;
/** Seconds for which other servers may keep an answer. */
const FRESH_SECONDS = 3_600;
const PROFILE_PAGE = 'http://webfinger.net/rel/profile-page';
/** Page on which the person's own server takes up what they saw elsewhere. Source: Mastodon. */
const SUBSCRIBE = 'http://ostatus.org/schema/1.0/subscribe';
const AVATAR = 'http://webfinger.net/rel/avatar';

interface Link {
  readonly rel: string;
  readonly type?: string | undefined;
  readonly href?: string;
  /** Address with `{uri}` for what the person saw elsewhere. */
  readonly template?: string;
}

/** Answers a WebFinger query (RFC 7033): names of people, and addresses of people and of the instance. */
const webFinger = route({
  method: 'GET',
  path: '/.well-known/webfinger',
  auth: 'none',
  query: Type.Object({ resource: Type.Optional(Type.String({ maxLength: RESOURCE_CHARS_MAX })) }),
  handle: async ({ services, query }) => {
    const { instance } = services;
    if (!query.resource) return problem('bad_request', 'The parameter resource is missing');
    const named = namedBy(instance, query.resource);
    if (named === undefined) return notFound();
    if (named === 'instance')
      return found(instance, instanceName(instance.domain), [instanceActorUri(instance.baseUrl)], []);
    const record = await ownerNamed(services, named.name);
    if (isProblem(record)) return record;
    return isSuspended(record) ? notFound() : describe(instance, record);
  },
});

function describe(instance: InstanceSettings, record: StoreAccountRecord): Answer {
  const [uri, url] = [accountUri(instance.baseUrl, record), accountUrl(instance.baseUrl, record)];
  const avatar = record.profile?.avatar;
  const links = [
    { rel: PROFILE_PAGE, type: 'text/html', href: url },
    ...(avatar ? [{ rel: AVATAR, type: fileType(avatar), href: fileUrl(instance.baseUrl, avatar) }] : []),
    { rel: SUBSCRIBE, template: `${instance.baseUrl}/authorize_interaction?uri={uri}` },
  ];
  return found(instance, record.username, [uri, url], links);
}

/** @param addresses the actor's id first */
function found(
  { domain }: InstanceSettings,
  name: string,
  addresses: readonly string[],
  links: readonly Link[],
): Answer {
  const [self = ''] = addresses;
  return {
    status: 200,
    headers: {
      'content-type': 'application/jrd+json; charset=utf-8',
      'cache-control': `public, max-age=${FRESH_SECONDS}`,
      vary: PAGE_VARY,
    },
    body: JSON.stringify({
      subject: `acct:${name}@${domain}`,
      aliases: addresses,
      links: [...links, { rel: 'self', type: ACTIVITY_TYPE, href: self }],
    }),
  };
}

/**
 * Returns the person or the instance that a resource means; undefined if it means neither. Names have the domain of
 * addresses or the host of the documents; addresses are those of actors and of their pages.
 */
function namedBy({ baseUrl, domain }: InstanceSettings, resource: string): { name: string } | 'instance' | undefined {
  if (resource === instanceActorUri(baseUrl)) return 'instance';
  const acct = /^(?:acct:)?@?([^@/:]+)@([^@/]+)$/i.exec(resource);
  if (acct === null) {
    const path = resource.startsWith(`${baseUrl}/`) ? resource.slice(baseUrl.length) : '';
    const name = /^\/(?:users\/|@)([^/?#]+)\/?$/.exec(path)?.[1];
    return name === undefined ? undefined : { name };
  }
  const [, name = '', at = ''] = acct.map((part) => part.toLowerCase());
  if (at !== domain.toLowerCase() && at !== new URL(baseUrl).host) return undefined;
  return name === instanceName(domain) ? 'instance' : { name };
}

/** Describes where WebFinger is (RFC 6415), as XML and as JSON. */
const hostMeta = [
  route({
    method: 'GET',
    path: '/.well-known/host-meta',
    auth: 'none',
    handle: ({ services: { instance } }) => ({
      status: 200,
      headers: { 'content-type': 'application/xrd+xml; charset=utf-8' },
      body: `<?xml version="1.0" encoding="UTF-8"?>
<XRD xmlns="http://docs.oasis-open.org/ns/xri/xrd-1.0">
  <Link rel="lrdd" type="application/jrd+json" template="${templateOf(instance)}"/>
</XRD>
`,
    }),
  }),
  route({
    method: 'GET',
    path: '/.well-known/host-meta.json',
    auth: 'none',
    handle: ({ services: { instance } }) => ({
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify({
        links: [{ rel: 'lrdd', type: 'application/jrd+json', template: templateOf(instance) }],
      }),
    }),
  }),
];

const templateOf = ({ baseUrl }: InstanceSettings) => `${baseUrl}/.well-known/webfinger?resource={uri}`;

export const webFingerRoutes: readonly AnyRoute[] = [webFinger, ...hostMeta];
