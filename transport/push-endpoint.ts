import type { AddressGuard } from './address-guard.js';

/** Returns true for an address to which push messages may be sent: https (RFC 8030 §8), see AddressGuard. */
export const isPushEndpoint = (text: string, guard: AddressGuard): boolean =>
  URL.canParse(text) && !/[\s<>"]/.test(text) && guard.maySend(new URL(text));
