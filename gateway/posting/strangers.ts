import { localName } from '../../actors/domain/addresses.js';
import type { Services } from '../http/services.js';

/** Unknown accounts of other servers that are looked up for one status: a post must not make this server a scanner. */
const STRANGERS_MAX = 10;
/**
 * Time for these look-ups together: the author waits for them. A look-up fetches WebFinger and the actor, up to 8 s each
 * from a host that does not answer.
 */
export const MEET_MS = 2_000;
/** The services that look-ups of mentioned people need. */
export type Meeting = Pick<Services, 'registry' | 'instance' | 'clock'> & {
  readonly federation: {
    readonly people: Pick<Services['federation']['people'], 'named'>;
    readonly slowHosts: Services['federation']['slowHosts'];
  };
};

/**
 * Waits until mentioned accounts of other servers that are unknown here have been fetched, for 2 s at most. Accounts of
 * a host that did not answer within the last minute are looked up, too, but nobody waits for them.
 */
export async function meetStrangers(services: Meeting, names: readonly string[]): Promise<void> {
  const { registry, instance, federation, clock } = services;
  const remote = names.filter((name) => localName(name, instance.domain) === undefined);
  if (remote.length === 0) return;
  const known = await Promise.all(remote.map((name) => registry.find(`acct:${name.toLowerCase()}`)));
  const strangers = remote.filter((_, place) => known[place] === undefined).slice(0, STRANGERS_MAX);
  const awaited = new Set<string>();
  const met = strangers.flatMap((name) => {
    const at = name.lastIndexOf('@');
    const host = name.slice(at + 1).toLowerCase();
    const isSlow = federation.slowHosts.has(host);
    const look = federation.people.named(name.slice(0, at), host).then((found) => {
      if ('missing' in found && found.missing === 'later') federation.slowHosts.add(host);
      awaited.delete(name);
    });
    if (isSlow) {
      look.catch(() => undefined);
      return [];
    }
    awaited.add(name);
    return look;
  });
  if (met.length === 0) return;
  await new Promise<void>((resolve) => {
    const timer = clock.after(MEET_MS, () => {
      for (const name of awaited) federation.slowHosts.add(name.slice(name.lastIndexOf('@') + 1).toLowerCase());
      resolve();
    });
    void Promise.allSettled(met).then(() => {
      timer.cancel();
      resolve();
    });
  });
}
