import type { Account } from '../../pages/account/account.js';
import type { Texts } from '../texts/index.js';
import { Name } from './emoji.js';
import { personPath, shownName } from './person.js';

/** Notices above a profile: kept in memory of its owner, limited by moderators, moved to another account, lives on another server. */
export function Notices({ account, texts }: { readonly account: Account; readonly texts: Texts }) {
  const moved = account.moved as Account | undefined;
  return (
    <>
      {account.memorial === true && <p class="notice">{texts.profile.memorial}</p>}
      {account.limited === true && <p class="notice">{texts.profile.limited}</p>}
      {moved !== undefined && (
        <p class="notice">
          <Name text={shownName(account)} emojis={account.emojis} /> {texts.profile.moved}{' '}
          <a href={personPath(moved)}>@{moved.acct}</a>
        </p>
      )}
      {account.acct.includes('@') && (
        <p class="notice">
          <a href={account.url} rel="nofollow noopener noreferrer">
            {texts.profile.original}
          </a>
        </p>
      )}
    </>
  );
}
