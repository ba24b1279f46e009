import type { ComponentChildren } from 'preact';
import type { Account } from '../../pages/account/account.js';
import { Name } from './emoji.js';

/** Path of a person's page on this server, also for people of other servers. */
export const personPath = ({ acct }: Pick<Account, 'acct'>): string => `/@${acct}`;

/** Name to show: the one that the person chose, or the username. */
export const shownName = ({ display_name, username }: Pick<Account, 'display_name' | 'username'>): string =>
  display_name.trim() || username;

/** Picture, name and address of a person, as a link to their page. */
export function Author({ account, domain }: { readonly account: Account; readonly domain?: string }) {
  const address = account.acct.includes('@') || domain === undefined ? account.acct : `${account.acct}@${domain}`;
  return (
    <a class="author" href={personPath(account)}>
      <img src={account.avatar_static} alt="" width="48" height="48" loading="lazy" />
      <span class="who">
        <strong>
          <Name text={shownName(account)} emojis={account.emojis} />
        </strong>
        <span class="acct">@{address}</span>
      </span>
    </a>
  );
}

/** A list of people. `action` adds something to each entry, a button for instance. */
export function People({
  accounts,
  action,
}: {
  readonly accounts: readonly Account[];
  readonly action?: (account: Account) => ComponentChildren;
}) {
  return (
    <ul class="people">
      {accounts.map((account) => (
        <li key={account.id}>
          <div class="person">
            <Author account={account} />
            {action?.(account)}
          </div>
        </li>
      ))}
    </ul>
  );
}
