import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { BadPlan } from '../plan.js';

/** A server that may be loaded, and the only addresses at which it is contacted. */
export interface Target {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Without brackets. */
  readonly hostname: string;
  readonly addresses: readonly { readonly address: string; readonly family: 4 | 6 }[];
}

/** Returns all addresses of a name. */
export type Resolve = (name: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

const systemResolve: Resolve = (name) => lookup(name, { all: true, verbatim: true });

function isLoopback(address: string): boolean {
  // `process` converts ::ffff:127.0.0.1. 0.0.0.0 and :: are not loopback addresses, although they often work.
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}

/**
 * Checks that `url` may be loaded. Without `ownedHosts` every address of its host must be a loopback address of this
 * machine; otherwise the host must be exactly one of them. The run connects only to the addresses found here, so a name
 * whose addresses change during the run leads nowhere else.
 * @throws BadPlan
 */
export async function admit(
  url: string,
  ownedHosts: readonly string[],
  resolve: Resolve = systemResolve,
): Promise<Target> {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !['http:', 'https:'].includes(parsed.protocol)) {
    throw new BadPlan(`the server must be an http or https address, not ${url}`);
  }
  if (parsed.username !== '' || parsed.password !== '') throw new BadPlan('the address must not hold a password');
  if (!['', '/'].includes(parsed.pathname) || parsed.search !== '' || parsed.hash !== '') {
    throw new BadPlan(`the address must end after the host and port: ${parsed.origin}`);
  }
  const hostname = parsed.hostname.replace(/^\[|\]$/g, '');
  const owned = ownedHosts.some((host) => host.toLowerCase() === hostname);
  if (ownedHosts.length > 0 && !owned) {
    throw new BadPlan(`--i-own-this-server names ${ownedHosts.join(', ')}, but the server is ${hostname}`);
  }
  const family = isIP(hostname);
  const found = family === 0 ? await named(hostname, resolve) : [{ address: hostname, family }];
  const foreign = found.find(({ address }) => !isLoopback(address));
  if (foreign !== undefined && !owned) {
    const where = foreign.address === hostname ? hostname : `${hostname} (${foreign.address})`;
    throw new BadPlan(
      `${where} is not a loopback address. A load test of somebody else's server is an attack; ` +
        `for a server of your own add --i-own-this-server ${hostname}`,
    );
  }
  const addresses = found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }) as const);
  return { origin: parsed.origin, hostname, addresses };
}

async function named(hostname: string, resolve: Resolve) {
  const found = await resolve(hostname).catch((error: Error) => {
    throw new BadPlan(`${hostname} has no address: ${error.message}`);
  });
  if (found.length === 0) throw new BadPlan(`${hostname} has no address`);
  return found;
}

/** Returns a lookup that gives only the addresses found before, and rejects any other name. */
export function pinnedLookup({ hostname, addresses }: Target): LookupFunction {
  return (name, options, callback) => {
    const fitting = addresses.filter(({ family }) => !options.family || options.family === family);
    const first = fitting[0];
    if (name !== hostname || first === undefined) {
      callback(new Error(`${name} is not the server under load`), '', 0);
    } else if (options.all) callback(null, [...fitting]);
    else callback(null, first.address, first.family);
  };
}
