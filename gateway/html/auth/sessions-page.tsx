import type { Answer } from '../../http/route.js';
import { isoTime } from '../../paging/iso-time.js';
import type { Reader, Site } from '../site.js';
import { authPage, Hidden, Ways } from './notice-page.js';

/** A browser or an application that may act for the person. */
export interface SessionEntry {
  /** Hash of the token; it does not reveal the token. */
  readonly hash: string;
  /** Name of the application, or browser and system; undefined if neither is known. */
  readonly name: string | undefined;
  readonly scopes: readonly string[];
  readonly sinceMs: number;
  /** Last use, to the hour. */
  readonly usedMs: number;
  /** True: the browser that asks. */
  readonly isOwn: boolean;
}

/** Renders the list of sessions. */
export function sessionsPage(
  site: Site,
  reader: Reader,
  {
    entries,
    csrf,
    isEnded,
    isPushed,
  }: {
    readonly entries: readonly SessionEntry[];
    readonly csrf: string;
    readonly isEnded: boolean;
    /** False: the application has no subscription for a test. */
    readonly isPushed?: boolean | undefined;
  },
): Answer {
  const { access } = reader.texts.auth;
  const { sessions, passwords } = access;
  const { otp, passkeys } = reader.texts.auth;
  const day = new Intl.DateTimeFormat(reader.language, { dateStyle: 'long', timeZone: 'UTC' });
  const hour = new Intl.DateTimeFormat(reader.language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  const content = (
    <>
      {isEnded && (
        <p class="done" role="status">
          {sessions.ended}
        </p>
      )}
      {isPushed !== undefined && (
        <p class={isPushed ? 'done' : 'fault'} role="status">
          {isPushed ? sessions.pushed : sessions.notPushed}
        </p>
      )}
      <ul>
        {entries.map(({ hash, name, scopes, sinceMs, usedMs, isOwn }) => (
          <li key={hash}>
            <p class="group">
              <strong>
                <bdi>{name ?? sessions.browser}</bdi>
              </strong>
              {isOwn && <span class="mark">{sessions.thisOne}</span>}
            </p>
            <p>
              {sessions.since} <time dateTime={isoTime(sinceMs)}>{day.format(sinceMs)}</time>
            </p>
            <p>
              {sessions.used} <time dateTime={isoTime(usedMs)}>{hour.format(usedMs)}</time>
            </p>
            {scopes.length > 0 && <code>{scopes.join(' ')}</code>}
            <form method="post" action="/auth/sessions/revoke">
              <Hidden fields={{ csrf, token: hash }} />
              <button type="submit" class="plain">
                {isOwn ? access.signOut : sessions.revoke}
              </button>
            </form>
            {scopes.includes('push') && (
              <form method="post" action="/auth/sessions/push">
                <Hidden fields={{ csrf, token: hash }} />
                <button type="submit" class="plain">
                  {sessions.push}
                </button>
              </form>
            )}
          </li>
        ))}
      </ul>
      {entries.some(({ isOwn }) => !isOwn) && (
        <form method="post" action="/auth/sessions/end_others">
          <Hidden fields={{ csrf }} />
          <p class="soft small">{sessions.endOthersHint}</p>
          <button type="submit" class="plain danger">
            {sessions.endOthers}
          </button>
        </form>
      )}
      <Ways
        ways={[
          { href: '/auth/password/change', label: passwords.changeTitle },
          { href: '/settings/otp', label: otp.title },
          { href: '/settings/passkeys', label: passkeys.title },
        ]}
      />
    </>
  );
  return authPage(site, reader, sessions.title, content);
}

/** Renders the answer to a sign-in of somebody who is signed in. */
export function signedInPage(
  site: Site,
  reader: Reader,
  { username, csrf }: { readonly username: string; readonly csrf: string },
): Answer {
  const { auth, shell } = reader.texts;
  const { access } = auth;
  const ways = [
    { href: '/web', label: shell.home },
    { href: '/settings/profile', label: shell.settings },
    { href: '/auth/sessions', label: access.sessions.title },
    { href: '/auth/password/change', label: access.passwords.changeTitle },
  ];
  const content = (
    <>
      <Ways ways={ways} />
      <form method="post" action="/auth/sign_out">
        <Hidden fields={{ csrf }} />
        <button type="submit" class="plain">
          {access.signOut}
        </button>
      </form>
    </>
  );
  return authPage(site, reader, access.signedInAs(username), content);
}
