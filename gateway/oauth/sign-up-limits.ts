import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { type Problem, problem } from '../../actors/domain/problem.js';
import type { InstanceEntry } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';
import { noteRefused } from './refused-sign-ups.js';

/**
 * Returns the hash of the form that all spellings of an address share: lower case, no dots and no suffix before the @.
 * Source: Mastodon EmailHelper#email_to_canonical_email.
 */
export function canonicalEmailHash(email: string): string {
  const [name = '', domain = ''] = email.toLowerCase().split('@');
  const canonical = `${name.replaceAll('.', '').split('+', 1)[0]}@${domain}`;
  return createHash('sha256').update(canonical).digest('hex');
}

/** Length of the prefix of IPv4-mapped IPv6 addresses. Source: RFC 4291 §2.5.5.2. */
const MAPPED_BITS = 96;

/** Normalizes a range: `10.1.2.3/16` becomes `10.1.0.0/16`; undefined if it is malformed. */
export function rangeText(text: string): string | undefined {
  const whole = text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`;
  if (!ipaddr.isValidCIDR(whole)) return undefined;
  const [address, bits] = ipaddr.parseCIDR(whole);
  // A mapped address is converted to IPv4, as addresses are in comparisons.
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= MAPPED_BITS)
    return rangeText(`${address.toIPv4Address().toString()}/${bits - MAPPED_BITS}`);
  const network =
    address.kind() === 'ipv4' ? ipaddr.IPv4.networkAddressFromCIDR(whole) : ipaddr.IPv6.networkAddressFromCIDR(whole);
  return `${network.toString()}/${bits}`;
}

function isIn(address: string, range: string): boolean {
  if (!ipaddr.isValid(address) || !ipaddr.isValidCIDR(range)) return false;
  const [network, bits] = ipaddr.parseCIDR(range);
  const parsed = ipaddr.process(address);
  return parsed.kind() === network.kind() && parsed.match([network, bits] as never);
}

/** Returns the severities of the blocks that apply to an address now. */
export async function limitsOfAddress(
  { entries, clock }: Pick<Services, 'entries' | 'clock'>,
  address: string,
): Promise<readonly string[]> {
  const nowMs = clock.nowMs();
  const holds = ({ address: limit, key }: InstanceEntry) =>
    limit !== undefined && (limit.expiresAtMs === 0 || limit.expiresAtMs > nowMs) && isIn(address, key);
  return (await entries.of('ip_blocks')).filter(holds).map((entry) => entry.address?.severity ?? '');
}

/** Applies moderators' decisions to a sign-up: returns a refusal, or if it must wait for approval. */
export async function judgeSignUp(
  services: Pick<Services, 'entries' | 'registry' | 'caches' | 'newPlainId' | 'clock'>,
  email: string,
  address: string,
): Promise<Problem | { readonly waits: boolean }> {
  const severities = await limitsOfAddress(services, address);
  if (severities.includes('no_access') || severities.includes('sign_up_block'))
    return problem('forbidden', 'This action is not allowed');
  const domain = email.trim().toLowerCase().split('@')[1] ?? '';
  const providers = (await services.entries.of('email_domain_blocks')).filter(
    ({ key }) => domain === key || domain.endsWith(`.${key}`),
  );
  for (const { key } of providers) await noteRefused(services, key, address);
  const hash = canonicalEmailHash(email.trim());
  const isBlocked =
    providers.length > 0 || (await services.entries.of('canonical_email_blocks')).some(({ key }) => key === hash);
  if (isBlocked) {
    const error = { error: 'ERR_BLOCKED', description: 'uses a disallowed e-mail provider' };
    return problem('invalid', `Validation failed: E-mail address ${error.description}`, { email: [error] });
  }
  return { waits: severities.includes('sign_up_requires_approval') };
}
