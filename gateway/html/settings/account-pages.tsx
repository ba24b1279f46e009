import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import type { Answer } from '../../http/route.js';
import { Fault } from '../auth/notice-page.js';
import { Csrf, Labelled } from '../parts/form.js';
import type { Reader, Site } from '../site.js';
import { settingsAnswer } from './frame.js';

/** Parts of a refused form that its page shows again. */
interface Refused {
  readonly fault?: string | undefined;
  readonly typed?: string | undefined;
}

/** Renders the e-mail address of an account, with the form that changes it. */
export function accountPage(
  site: Site,
  reader: Reader,
  { email, fault, typed = '', isSent = false }: Refused & { readonly email: string; readonly isSent?: boolean },
): Answer {
  const { ownAccount: texts } = reader.texts.settings;
  const content = (
    <>
      <p>
        {texts.email}: <strong>{email}</strong>
      </p>
      {isSent && (
        <p class="done" role="status">
          {texts.emailSent}
        </p>
      )}
      <Fault text={fault} />
      <form class="card" method="post" action="/settings/account/email">
        <Csrf reader={reader} />
        <label for="email">{texts.newEmail}</label>
        <input id="email" name="email" type="email" autoComplete="email" required maxLength={254} value={typed} />
        <CurrentPassword reader={reader} />
        <p class="actions">
          <button type="submit">{texts.changeEmail}</button>
        </p>
      </form>
    </>
  );
  const view = { title: texts.title, path: '/settings/account', isSaved: false, isWrong: fault !== undefined };
  return settingsAnswer(site, reader, view, content);
}

/** Renders the accounts that may move to this one, each with a button that removes it. */
export function aliasesPage(
  site: Site,
  reader: Reader,
  {
    aliases,
    fault,
    typed,
    isSaved = false,
  }: Refused & {
    readonly aliases: readonly string[];
    readonly isSaved?: boolean;
  },
): Answer {
  const { aliases: texts } = reader.texts.settings.ownAccount;
  const path = '/settings/aliases';
  const content = (
    <>
      <p class="soft">{texts.intro}</p>
      <Fault text={fault} />
      <form class="card" method="post" action={path}>
        <Csrf reader={reader} />
        <Address label={texts.account} hint={texts.hint} typed={typed} />
        <p class="actions">
          <button type="submit">{texts.add}</button>
        </p>
      </form>
      {aliases.length === 0 && <p class="soft">{texts.none}</p>}
      {aliases.length > 0 && (
        <ul class="rows">
          {aliases.map((uri) => (
            <li key={uri}>
              <form method="post" action={`${path}/remove`}>
                <Csrf reader={reader} />
                <input type="hidden" name="uri" value={uri} />
                <p class="group">
                  <bdi>{uri}</bdi>
                  <button type="submit" class="plain">
                    {texts.remove}
                  </button>
                </p>
              </form>
            </li>
          ))}
        </ul>
      )}
    </>
  );
  return settingsAnswer(site, reader, { title: texts.title, path, isSaved, isWrong: fault !== undefined }, content);
}

/** Renders the form that moves the account, or to where it has moved. */
export function migrationPage(
  site: Site,
  reader: Reader,
  { movedTo, fault, typed }: Refused & Pick<StoreAccountRecord, 'movedTo'>,
): Answer {
  const { migration: texts } = reader.texts.settings.ownAccount;
  const path = '/settings/migration';
  const content = (
    <>
      {movedTo !== undefined && (
        <form class="card" method="post" action={`${path}/end`}>
          <Csrf reader={reader} />
          <p>
            {texts.movedTo} <bdi>{movedTo.uri}</bdi>
          </p>
          <p class="soft">{texts.endText}</p>
          <button type="submit">{texts.end}</button>
        </form>
      )}
      <p class="soft">{texts.intro}</p>
      <Fault text={fault} />
      <form class="card" method="post" action={path}>
        <Csrf reader={reader} />
        <Address label={texts.account} hint={texts.hint} typed={typed} />
        <CurrentPassword reader={reader} />
        <p class="actions">
          <button type="submit">{texts.start}</button>
        </p>
      </form>
    </>
  );
  const view = { title: texts.title, path, isSaved: false, isWrong: fault !== undefined };
  return settingsAnswer(site, reader, view, content);
}

/** Renders the form that deletes the account. */
export function deletionPage(site: Site, reader: Reader, { fault }: Refused): Answer {
  const { deletion: texts } = reader.texts.settings.ownAccount;
  const path = '/settings/delete';
  const content = (
    <>
      <p>
        <strong>{texts.intro}</strong>
      </p>
      <p>
        <a href="/settings/archive">{texts.archive}</a>
      </p>
      <Fault text={fault} />
      <form class="card" method="post" action={path}>
        <Csrf reader={reader} />
        <CurrentPassword reader={reader} />
        <p class="actions">
          <button type="submit">{texts.submit}</button>
        </p>
      </form>
    </>
  );
  const view = { title: texts.title, path, isSaved: false, isWrong: fault !== undefined };
  return settingsAnswer(site, reader, view, content);
}

const CurrentPassword = ({ reader }: { readonly reader: Reader }) => (
  <>
    <label for="current">{reader.texts.settings.ownAccount.current}</label>
    <input id="current" name="current" type="password" autoComplete="current-password" required maxLength={512} />
  </>
);

const Address = (props: { readonly label: string; readonly hint: string; readonly typed: string | undefined }) => (
  <Labelled name="acct" label={props.label} hint={props.hint}>
    <input
      id="acct"
      name="acct"
      required
      maxLength={320}
      value={props.typed ?? ''}
      autoCapitalize="none"
      spellcheck={false}
      aria-describedby="acct-hint"
    />
  </Labelled>
);
