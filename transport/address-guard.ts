import ipaddr from 'ipaddr.js';

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Judges where this server may connect to on behalf of people: the open Internet, and the ranges that a setting names. */
export class AddressGuard {
  readonly #allowed: readonly Range[];

  /** @param allowed CIDRs, addresses or `loopback`: otherwise-blocked ranges that may be reached */
  constructor(allowed: readonly string[] = []) {
    this.#allowed = allowed.flatMap((one) => (one === 'loopback' ? ['127.0.0.0/8', '::1/128'] : [one])).map(rangeOf);
  }

  /** Judges an IP address. */
  mayReach(text: string): boolean {
    if (!ipaddr.isValid(text)) return false;
    // ::ffff:127.0.0.1 is 127.0.0.1.
    const address = ipaddr.process(text);
    const isAllowed = this.#allowed.some(
      ([range, bits]) => range.kind() === address.kind() && address.match(range as ipaddr.IPv4 & ipaddr.IPv6, bits),
    );
    return isAllowed || (address.range() === 'unicast' && !isIpv4Compatible(address));
  }

  /**
   * Judges the host of an address that is stored to be connected to later: false for an IP address that may not be
   * reached, and for names of this machine. Other names are judged by what they resolve to when they are connected to.
   */
  mayName(hostname: string): boolean {
    const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    if (host === 'localhost' || host.endsWith('.localhost')) return this.mayReach('127.0.0.1');
    return !ipaddr.isValid(host) || this.mayReach(host);
  }
}

const IPV4_COMPATIBLE = ipaddr.IPv6.parse('::');

/** ::/96 (RFC 4291 §2.5.5.1): some systems connect to the IPv4 address within. */
function isIpv4Compatible(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address instanceof ipaddr.IPv6 && address.match(IPV4_COMPATIBLE, 96);
}

function rangeOf(text: string): Range {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
