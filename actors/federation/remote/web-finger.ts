import type { FederationClient, FetchOutcome } from '../../../transport/federation/port.js';
import { canonicalUri, hostOf } from '../reading/uris.js';
import { asList, isObject, type JsonObject, textOf } from '../reading/values.js';
import type { Missing } from './port.js';

const LINKS_MAX = 50;
const SUBJECT_CHARS_MAX = 500;
const ACTOR_TYPE = /^application\/(?:activity\+json|ld\+json\s*;.*activitystreams)/;

/** An address and the actor to which WebFinger of its domain leads. */
export interface FoundName {
  readonly username: string;
  readonly domain: string;
  readonly actorUri: string;
}

/**
 * Asks the domain of an address for its actor. If the answer names another address, as a server does whose addresses
 * have another domain than its host, that domain must name it, too, and the same actor.
 * @param scheme that of the actor's address, if it is known; otherwise https, or http where the settings allow it
 */
export async function findByName(
  client: Pick<FederationClient, 'jrd'>,
  username: string,
  domain: string,
  scheme?: string,
): Promise<FoundName | Missing> {
  const first = await ask(client, username, domain, scheme);
  if ('missing' in first) return first;
  if (isSameName(first, { username, domain })) return first;
  const second = await ask(client, first.username, first.domain, scheme);
  if ('missing' in second) return second;
  return isSameName(first, second) && first.actorUri === second.actorUri ? second : { missing: 'refused' };
}

const isSameName = (one: Omit<FoundName, 'actorUri'>, other: Omit<FoundName, 'actorUri'>): boolean =>
  one.username.toLowerCase() === other.username.toLowerCase() && one.domain === other.domain;

async function ask(
  client: Pick<FederationClient, 'jrd'>,
  username: string,
  domain: string,
  scheme: string | undefined,
): Promise<FoundName | Missing> {
  const resource = encodeURIComponent(`acct:${username}@${domain}`);
  const at = (by: string) => client.jrd(`${by}//${domain}/.well-known/webfinger?resource=${resource}`);
  let outcome = await at(scheme ?? 'https:');
  // The client refuses http unless the settings allow it for the address, as between servers of one machine.
  if (scheme === undefined && outcome.kind === 'failed') {
    const plain = await at('http:');
    if (plain.kind !== 'unusable') outcome = plain;
  }
  return outcome.kind === 'object' ? readJrd(outcome.value, domain) : missingOf(outcome);
}

/** Returns the name and actor in a JRD (RFC 7033). A JRD without a subject does not say whom it describes. */
function readJrd(jrd: JsonObject, asked: string): FoundName | Missing {
  const subject = textOf(jrd.subject, SUBJECT_CHARS_MAX);
  const [, username = '', host = ''] = /^acct:@?([^@/:\s]+)@([^@/\s]+)$/i.exec(subject) ?? [];
  const domain = host === '' ? undefined : normalDomain(host);
  const link = asList(jrd.links, LINKS_MAX).find(
    (one): one is JsonObject => isObject(one) && one.rel === 'self' && isActorType(one.type),
  );
  const actorUri = typeof link?.href === 'string' ? canonicalUri(link.href) : undefined;
  if (domain === undefined || actorUri === undefined || asked === '') return { missing: 'gone' };
  return { username, domain, actorUri };
}

const isActorType = (type: unknown) => typeof type === 'string' && ACTOR_TYPE.test(type);

/** Returns a domain in lower case and punycode, with its port if that is not the usual one; undefined for no domain. */
export const normalDomain = (domain: string): string | undefined =>
  /[/?#@\\]/.test(domain) ? undefined : hostOf(`https://${domain}`);

/** Returns how a failed fetch ends for its caller. */
export function missingOf({ kind }: Exclude<FetchOutcome, { kind: 'object' }>): Missing {
  if (kind === 'failed') return { missing: 'later' };
  return { missing: kind === 'refused' ? 'refused' : 'gone' };
}
