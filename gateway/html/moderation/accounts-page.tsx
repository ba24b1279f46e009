import type { Answer } from '../../http/route.js';
import type { AdminAccount } from '../../pages/account/admin.js';
import { Choice, Labelled } from '../parts/form.js';
import { Pager } from '../parts/pager.js';
import { Time } from '../parts/time.js';
import type { Site } from '../site.js';
import { moderationAnswer, type Staff } from './frame.js';
import { Standing } from './report-page.js';

/** States by which accounts can be sought, as the API names them; empty: any. */
export const STATUSES = ['', 'pending', 'active', 'silenced', 'sensitized', 'disabled', 'suspended'] as const;

/** Servers whose accounts can be sought, as the API names them; empty: all. */
export const ORIGINS = ['', 'local', 'remote'] as const;

/** A search for accounts. Empty fields demand nothing. */
interface AccountSearch {
  readonly username: string;
  readonly email: string;
  readonly by_domain: string;
  readonly ip: string;
  readonly origin: (typeof ORIGINS)[number];
  readonly status: (typeof STATUSES)[number];
  readonly permissions: string;
}

/** Renders the accounts that a search finds. */
export function accountsPage(
  site: Site,
  reader: Staff,
  list: {
    readonly accounts: readonly AdminAccount[];
    readonly asked: AccountSearch;
    readonly isDone: boolean;
    readonly newer: string | undefined;
    readonly older: string | undefined;
  },
): Answer {
  const { accounts, asked, isDone, ...links } = list;
  const texts = reader.texts.moderation;
  const content = (
    <>
      <Search asked={asked} reader={reader} />
      {accounts.length === 0 ? (
        <p>{texts.noAccounts}</p>
      ) : (
        <ul class="rows">
          {accounts.map((account) => (
            <AccountRow key={account.id} account={account} reader={reader} />
          ))}
        </ul>
      )}
      <Pager {...links} texts={reader.texts} />
    </>
  );
  return moderationAnswer(site, reader, { title: texts.accounts, path: '/moderation/accounts', isDone }, content);
}

function Search({ asked, reader }: { readonly asked: AccountSearch; readonly reader: Staff }) {
  const texts = reader.texts.moderation;
  return (
    <form class="card" method="get" action="/moderation/accounts">
      {(['username', 'email', 'by_domain', 'ip'] as const).map((name) => (
        <Labelled key={name} name={name} label={texts.search[name]}>
          <input id={name} name={name} value={asked[name]} maxLength={300} autoCapitalize="none" spellcheck={false} />
        </Labelled>
      ))}
      <Choice
        name="origin"
        label={texts.search.origin}
        value={asked.origin}
        options={ORIGINS.map((origin) => [origin, texts.origins[origin === '' ? 'any' : origin]] as const)}
      />
      <Choice
        name="status"
        label={texts.search.status}
        value={asked.status}
        options={STATUSES.map((status) => [status, texts.statuses[status === '' ? 'any' : status]] as const)}
      />
      <Choice
        name="permissions"
        label={texts.roles}
        value={asked.permissions}
        options={[
          ['', texts.statuses.any],
          ['staff', texts.staffOnly],
        ]}
      />
      <p class="actions">
        <button type="submit">{texts.find}</button>
      </p>
    </form>
  );
}

function AccountRow({ account, reader }: { readonly account: AdminAccount; readonly reader: Staff }) {
  return (
    <li>
      <p class="group">
        <a href={`/moderation/accounts/${account.id}`}>@{account.account.acct}</a>
        {account.role.name !== '' && <span class="mark">{account.role.name}</span>}
      </p>
      <Standing account={account} reader={reader} />
      <p class="next">
        {account.email !== '' && `${account.email} · `}
        <Time iso={account.created_at} language={reader.language} />
      </p>
      {account.invite_request !== null && <p>{account.invite_request}</p>}
    </li>
  );
}
