import ipaddr from 'ipaddr.js';

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Decides which addresses this server may connect to on behalf of users: public ones, and the ranges of a setting. */
export class AddressGuard {
  readonly #allowed: readonly Range[];

  /** @param allowed CIDRs, addresses or `loopback`: ranges that are allowed although they are not public */
  constructor(allowed: readonly string[] = []) {
    this.#allowed = allowed.flatMap((one) => (one === 'loopback' ? ['127.0.0.0/8', '::1/128'] : [one])).map(rangeOf);
  }

  /** Returns true if this server may connect to an IP address. */
  mayReach(text: string): boolean {
    if (!ipaddr.isValid(text)) return false;
    // ::ffff:127.0.0.1 is 127.0.0.1.
    const address = ipaddr.process(text);
    return this.#isAllowed(address) || (address.range() === 'unicast' && !isIpv4Compatible(address));
  }

  /**
   * Checks the host of an address that is stored for a later connection: returns false for a forbidden IP address, and
   * for names of this machine. Other names are checked by the addresses that they resolve to when the connection is
   * opened.
   */
  mayName(hostname: string): boolean {
    const host = addressOf(hostname);
    return !ipaddr.isValid(host) || this.mayReach(host);
  }

  /**
   * Returns true for a URL to which this server may send messages: https at a host that may be reached, or plain http
   * within the ranges of the setting. Resolved addresses are checked when the connection is opened.
   */
  maySend({ protocol, hostname, username, password }: URL): boolean {
    if (username + password !== '') return false;
    return protocol === 'https:' ? this.mayName(hostname) : protocol === 'http:' && this.isException(hostname);
  }

  /** Returns true if a host is an IP address, or a name of this machine, within the ranges of the setting. */
  isException(hostname: string): boolean {
    const host = addressOf(hostname);
    return ipaddr.isValid(host) && this.#isAllowed(ipaddr.process(host));
  }

  #isAllowed(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
    return this.#allowed.some(
      ([range, bits]) => range.kind() === address.kind() && address.match(range as ipaddr.IPv4 & ipaddr.IPv6, bits),
    );
  }
}

/** Returns the host of a URL without brackets and final dot; a name of this machine as its address. */
function addressOf(hostname: string): string {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return host === 'localhost' || host.endsWith('.localhost') ? '127.0.0.1' : host;
}

const IPV4_COMPATIBLE = ipaddr.IPv6.parse('::');

/** Returns true for ::/96 (RFC 4291 §2.5.5.1): some systems connect to the IPv4 address within. */
function isIpv4Compatible(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address instanceof ipaddr.IPv6 && address.match(IPV4_COMPATIBLE, 96);
}

function rangeOf(text: string): Range {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
