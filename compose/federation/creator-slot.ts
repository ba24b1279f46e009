import { mayBeCreator, readCreator } from '../../actors/domain/servers/attribution.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import type { FindCreator } from '../../transport/web/link-pages.js';

/** Returns the account `username@domain`, which is fetched if it is not known here. @throws Unavailable */
type FindAccount = (username: string, domain: string) => Promise<StoreAccountRecord | undefined>;

/** Finds the authors of pages. The kinds of actors need it before there are the services that find accounts. */
export class CreatorSlot {
  #find: FindAccount | undefined;

  fill(find: FindAccount): void {
    this.#find = find;
  }

  readonly find: FindCreator = async (creator, host) => {
    const named = readCreator(creator);
    if (named === undefined) return undefined;
    try {
      const account = await this.#find?.(named.username, named.domain);
      return account !== undefined && mayBeCreator(account, host) ? account.id : undefined;
    } catch {
      // The card shows without its author until the page is fetched again.
      return undefined;
    }
  };
}
