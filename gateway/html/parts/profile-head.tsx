import type { Account } from '../../pages/account/account.js';
import type { Language, Texts } from '../texts/index.js';
import { Name, withEmoji } from './emoji.js';
import { personPath, shownName } from './person.js';
import { Raw } from './raw.js';
import { count, Time } from './time.js';

interface Props {
  readonly account: Account;
  readonly domain: string;
  readonly texts: Texts;
  readonly language: Language;
}

/** Pictures, name, text, fields and counts of a person: the head of their pages. */
export function ProfileHead({ account, domain, texts, language }: Props) {
  const address = account.acct.includes('@') ? account.acct : `${account.acct}@${domain}`;
  const { profile } = texts;
  return (
    <section class="card profile h-card">
      <img class="banner" src={account.header_static} alt={account.header_description ?? ''} />
      <div class="about">
        <img
          class="portrait u-photo"
          src={account.avatar_static}
          alt={account.avatar_description ?? ''}
          width="96"
          height="96"
        />
        <h1 class="p-name">
          <Name text={shownName(account)} emojis={account.emojis} />
        </h1>
        <p class="acct">
          @{address} {account.bot && <span class="mark">{profile.bot}</span>}
          {account.group && <span class="mark">{profile.group}</span>}
          {account.locked && <span class="mark">{profile.locked}</span>}
        </p>
        <Raw class="content p-note" html={withEmoji(account.note, account.emojis)} />
        <Fields account={account} verified={profile.verified} />
        <ul class="counts">
          <li>
            <a href={personPath(account)}>
              <strong>{count(language, account.statuses_count)}</strong> {profile.posts}
            </a>
          </li>
          <li>
            <a href={`${personPath(account)}/following`}>
              <strong>{count(language, account.following_count)}</strong> {profile.following}
            </a>
          </li>
          <li>
            <a href={`${personPath(account)}/followers`}>
              <strong>{count(language, account.followers_count)}</strong> {profile.followers}
            </a>
          </li>
        </ul>
        <p class="soft small">
          {profile.joined} <Time iso={account.created_at} language={language} day />
        </p>
      </div>
    </section>
  );
}

function Fields({ account, verified }: { readonly account: Account; readonly verified: string }) {
  if (account.fields.length === 0) return null;
  return (
    <dl>
      {account.fields.map((field, index) => (
        <div key={index} class={field.verified_at === null ? undefined : 'verified'}>
          <dt>
            <Name text={field.name} emojis={account.emojis} />
          </dt>
          <dd>
            {field.verified_at !== null && (
              <span class="tick" title={verified}>
                <span aria-hidden="true">✓ </span>
                <span class="visually-hidden">{verified}: </span>
              </span>
            )}
            <Raw as="span" html={withEmoji(field.value, account.emojis)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
