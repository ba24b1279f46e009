import ipaddr from 'ipaddr.js';

/** Hops of X-Forwarded-For that are read. A header with more is an attack or an error. */
const HOPS_MAX = 32;

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Returns the client's address, given the connection's address and its X-Forwarded-For. */
export type ClientAddress = (connected: string, forwardedFor: string | undefined) => string;

/**
 * Builds the function that finds the client's address.
 * @param trustedProxies CIDRs or single addresses, or `loopback`
 * @throws Error that names the malformed entry
 */
export function clientAddress(trustedProxies: readonly string[]): ClientAddress {
  const ranges = trustedProxies.flatMap(parseRange);
  const trusted = (address: Address) =>
    ranges.some((range) => range[0].kind() === address.kind() && address.match(range as never));
  return (connected, forwardedFor) => {
    let client = parse(connected);
    if (client === undefined) return connected;
    if (forwardedFor === undefined || forwardedFor === '' || !trusted(client)) return client.toString();
    // The loop goes from the nearest hop outwards. The first hop that is not a trusted proxy is the client; the hops
    // before it are not trustworthy.
    for (const hop of forwardedFor.split(',').reverse().slice(0, HOPS_MAX)) {
      const address = parse(hop.trim());
      if (address === undefined) break;
      client = address;
      if (!trusted(address)) break;
    }
    return client.toString();
  };
}

function parse(text: string): Address | undefined {
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
}

function parseRange(text: string): Range[] {
  if (text === 'loopback') return [...parseRange('127.0.0.0/8'), ...parseRange('::1/128')];
  if (ipaddr.isValidCIDR(text)) return [ipaddr.parseCIDR(text)];
  const address = parse(text);
  if (address === undefined) throw new Error(`not an address or CIDR: ${text}`);
  return [[address, address.kind() === 'ipv4' ? 32 : 128]];
}

/** Returns the key of an address: all addresses of one subscriber, a /64 of IPv6, share one. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : Buffer.from(parsed.toByteArray().slice(0, 8)).toString('hex');
}
