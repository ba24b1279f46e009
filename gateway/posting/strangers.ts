import { localName } from '../../actors/domain/addresses.js';
import type { Services } from '../http/services.js';

/** Unknown accounts of other servers that are looked up for one status: a post must not make this server a scanner. */
const STRANGERS_MAX = 10;
/** Time for these look-ups together: the author waits for them. */
const MEET_MS = 2_000;

/** Waits until mentioned accounts of other servers that are unknown here have been fetched, for 2 s at most. */
export async function meetStrangers(
  { registry, instance, federation, clock }: Pick<Services, 'registry' | 'instance' | 'federation' | 'clock'>,
  names: readonly string[],
): Promise<void> {
  const remote = names.filter((name) => localName(name, instance.domain) === undefined);
  if (remote.length === 0) return;
  const known = await Promise.all(remote.map((name) => registry.find(`acct:${name.toLowerCase()}`)));
  const strangers = remote.filter((_, place) => known[place] === undefined).slice(0, STRANGERS_MAX);
  if (strangers.length === 0) return;
  const met = strangers.map((name) => {
    const at = name.lastIndexOf('@');
    return federation.people.named(name.slice(0, at), name.slice(at + 1));
  });
  await new Promise<void>((resolve) => {
    const timer = clock.after(MEET_MS, resolve);
    void Promise.allSettled(met).then(() => {
      timer.cancel();
      resolve();
    });
  });
}
