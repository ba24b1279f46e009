import type { ComponentChildren } from 'preact';
import type { Account } from '../../pages/account/account.js';
import { Name } from './emoji.js';

/** Path of a person's page on this server, also for people of other servers. */
export const personPath = ({ acct }: Pick<Account, 'acct'>): string => `/@${acct}`;

/** Name to show: the one that the person chose, or the username. */
export const shownName = ({ display_name, username }: Pick<Account, 'display_name' | 'username'>): string =>
  display_name.trim() || username;

/** Picture, name and address of a person, as a link to their page. */
export function Author({ account, href = personPath(account) }: { readonly account: Account; readonly href?: string }) {
  return (
    <a class="author" href={href}>
      <img src={account.avatar_static} alt="" width="48" height="48" loading="lazy" />
      <span class="who">
        <strong>
          <Name text={shownName(account)} emojis={account.emojis} />
        </strong>
        <span class="acct">@{account.acct}</span>
      </span>
    </a>
  );
}

/** A list of people. `path` leads to the page of each; `action` adds something to each entry, a button for instance. */
export function People<A extends Account>({
  accounts,
  path = personPath,
  action,
}: {
  readonly accounts: readonly A[];
  readonly path?: (account: A) => string;
  readonly action?: (account: A) => ComponentChildren;
}) {
  return (
    <ul class="people">
      {accounts.map((account) => (
        <li key={account.id}>
          <div class="person">
            <Author account={account} href={path(account)} />
            {action?.(account)}
          </div>
        </li>
      ))}
    </ul>
  );
}
