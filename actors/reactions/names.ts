import type { Tables } from '../../store/port.js';
import type { AccountEvents, AccountState } from '../account/slices.js';
import { namesOf } from '../domain/text/names.js';
import { remoteNamesOf } from '../domain/text/uri-key.js';
import { confirmNames, releaseNames } from '../names.js';
import type { Reaction } from '../runtime/kind.js';

/**
 * Confirms the names of a new account and the address of one that has changed it, and frees those of a rejected one. A
 * sign-up may have been suspended between the claim and the registration for so long that another account has its name.
 * The new account then ends as if it had never existed, even if no client waits for it any more.
 */
export function accountNames(tables: Pick<Tables, 'get' | 'compareAndSet'>): Reaction<AccountState, AccountEvents> {
  return {
    surface: 'names',
    beforeReply: true,
    on: {
      async registered({ username, email, atMs }, { self, state }, effects) {
        const { owner } = state;
        if (owner === undefined) return;
        const [name, address] = namesOf(username, email);
        // An address that was changed since is not claimed any more.
        const held = owner.email === email ? [name, address] : [name];
        const lost = await confirmNames(tables, held, self, atMs);
        if (lost !== undefined) await effects.tell('account', self, 'unregister', {});
      },
      /** The request that opens the link may end before its reply, so that it cannot settle the names itself. */
      async emailChanged({ email, former, atMs }, { self, state }) {
        const { owner } = state;
        if (owner === undefined) return;
        const [present, next, last] = [owner.email, email, former].map((one) => namesOf(owner.username, one)[1]);
        // An address that was changed again since is not claimed any more.
        if (next !== undefined && next === present) await confirmNames(tables, [next], self, atMs);
        if (last !== undefined && last !== present) await releaseNames(tables, [last], self, false);
      },
      moderated({ rejected }, { self }) {
        return rejected && releaseNames(tables, namesOf(rejected.username, rejected.email), self, false);
      },
      async described({ username, domain, actor, atMs }, { self }, effects) {
        if (actor === undefined) return;
        const held = remoteNamesOf(username, domain, actor.uri);
        // Two nodes that describe a new actor at the same time have two ids for it; one of them keeps the names.
        const lost = await confirmNames(tables, held, self, atMs);
        if (lost !== undefined) await effects.tell('account', self, 'vanish', {});
      },
      unregistered({ username, email }, { self }) {
        return releaseNames(tables, namesOf(username, email), self, false);
      },
    },
  };
}
