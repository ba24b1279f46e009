import ipaddr from 'ipaddr.js';
import type { AccountSignIn } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';

/** Prefixes within which a subscriber's address changes by itself: a sign-in from there is nothing new. */
const PREFIX_BITS = { ipv4: 24, ipv6: 48 };

/** Names of browsers by a word of their User-Agent. The first that fits counts: most of them name others, too. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];
/** Parsed characters of a User-Agent; browsers send some 150. */
const AGENT_CHARS_MAX = 500;
/** Longest name of a program that is no browser. */
const PROGRAM_CHARS_MAX = 40;

/**
 * Returns browser and system of a User-Agent without versions, `Firefox, Linux`, since a browser updates itself every
 * month. Another program is named by its first word. Empty if there is none.
 */
export function browserName(userAgent = ''): string {
  const agent = userAgent.slice(0, AGENT_CHARS_MAX);
  const named = (names: typeof BROWSERS) => names.find(([pattern]) => pattern.test(agent))?.[1];
  const browser = named(BROWSERS) ?? /^[A-Za-z][\w.-]*/.exec(agent)?.[0].slice(0, PROGRAM_CHARS_MAX);
  const system = named(SYSTEMS);
  return [browser, system].filter((name) => name !== undefined).join(', ');
}

/** Returns the prefix of an address as text; an address of another form stands for itself. */
export function addressPrefix(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  const kind = parsed.kind();
  return Buffer.from(parsed.toByteArray().slice(0, PREFIX_BITS[kind] / 8)).toString('hex');
}

/**
 * Describes a sign-in for the account, which decides if its address or browser is new (actors/account/sign-ins.ts). The
 * account stores only pseudonyms of both.
 */
export function describedSignIn(
  { keyedTokens }: Pick<Services, 'keyedTokens'>,
  account: string,
  address: string,
  userAgent: string | undefined,
): AccountSignIn {
  const browser = browserName(userAgent);
  return {
    address,
    browser,
    addressKey: keyedTokens.pseudonym(account, `address ${addressPrefix(address)}`),
    browserKey: keyedTokens.pseudonym(account, `browser ${browser}`),
  };
}
