import type { AddressGuard } from './address-guard.js';

/**
 * Returns true for an address to which push messages may be sent: https (RFC 8030 §8) at a host that may be reached, or
 * plain http within the private ranges that the operator allows. The guard checks resolved addresses at each
 * connection.
 */
export function isPushEndpoint(text: string, guard: AddressGuard): boolean {
  if (!URL.canParse(text) || /[\s<>"]/.test(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username + password !== '') return false;
  return protocol === 'https:' ? guard.mayName(hostname) : protocol === 'http:' && guard.isException(hostname);
}
