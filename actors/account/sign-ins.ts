import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import type { Recorded, Slice } from '../runtime/slice.js';
import type { LazySet } from '../runtime/state/lazy-collections.js';

export type Commands = Readonly<Record<never, never>>;
export interface Events {
  signedInAnew: P.AccountSignedInAnew;
}
export interface State {
  /** Pseudonyms of the prefixes of addresses from which the owner has signed in, oldest first. */
  readonly signInAddresses: LazySet<string>;
  /** Pseudonyms of the kinds of browsers with which the owner has signed in, oldest first. */
  readonly signInBrowsers: LazySet<string>;
}

/**
 * Known prefixes, and known browsers, of one account: more than the places and devices of nearly everyone. The oldest is
 * forgotten first, so an account keeps no long history of its owner's places.
 */
export const KNOWN_SIGN_INS_MAX = 20;

/** The addresses and browsers that an account knows. Tokens decides its events (tokens.ts). */
export const signIns: Slice<State, Commands, Events> = {
  decide: {},
  apply: {
    signedInAnew({ signInAddresses, signInBrowsers }, { addressKey, browserKey }) {
      remember(signInAddresses, addressKey);
      remember(signInBrowsers, browserKey);
    },
  },
  commands: {},
  // The address is in the journal only until the next mails are forgotten.
  events: { signedInAnew: { codec: codec('murmuration.account.SignedInAnew'), invalidates: false, forgets: true } },
};

/**
 * Returns the event of a sign-in whose address or browser is new. The first sign-in of an account is no news to its
 * owner, so its event carries nothing for a mail.
 */
export function newSignIn(
  { signInAddresses, signInBrowsers }: Readonly<State>,
  { address, browser, addressKey, browserKey }: P.AccountSignIn,
  nowMs: number,
): Recorded<Events>[] {
  if (signInAddresses.has(addressKey) && signInBrowsers.has(browserKey)) return [];
  const known = { type: 'signedInAnew' as const, addressKey, browserKey, atMs: nowMs };
  return [signInAddresses.size === 0 ? known : { ...known, address, browser }];
}

function remember(known: Set<string>, key: string): void {
  known.add(key);
  const [oldest] = known;
  if (known.size > KNOWN_SIGN_INS_MAX && oldest !== undefined) known.delete(oldest);
}
