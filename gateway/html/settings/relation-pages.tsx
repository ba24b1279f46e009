import type { Answer } from '../../http/route.js';
import type { Account, MutedAccount } from '../../pages/account/account.js';
import { Csrf, Labelled } from '../parts/form.js';
import { Pager } from '../parts/pager.js';
import { People } from '../parts/person.js';
import { Time } from '../parts/time.js';
import type { Reader, Site } from '../site.js';
import { settingsAnswer } from './frame.js';

/** Links to the neighbours of a page of a list. */
interface Paged {
  readonly older: string | undefined;
  readonly newer: string | undefined;
}

/** Renders the accounts that a person has muted or blocked, each with a button that undoes it. */
export function relationsPage(
  site: Site,
  reader: Reader,
  list: Paged & {
    readonly kind: 'mutes' | 'blocks';
    readonly accounts: readonly (Account & Partial<Pick<MutedAccount, 'mute_expires_at'>>)[];
  },
): Answer {
  const { kind, accounts, older, newer } = list;
  const { texts, language } = reader;
  const { relations } = texts.settings;
  const path = `/settings/${kind}`;
  const content = (
    <>
      <p class="soft">{kind === 'mutes' ? relations.mutesText : relations.blocksText}</p>
      {accounts.length === 0 && <p class="soft">{texts.shell.nothingHere}</p>}
      {accounts.length > 0 && (
        <People
          accounts={accounts}
          action={({ id, mute_expires_at: end = null }) => (
            <form method="post" action={`${path}/${id}/undo`}>
              <Csrf reader={reader} />
              {end !== null && (
                <span class="soft small">
                  {relations.until} <Time iso={end} language={language} />{' '}
                </span>
              )}
              <button type="submit" class="plain">
                {kind === 'mutes' ? relations.unmute : relations.unblock}
              </button>
            </form>
          )}
        />
      )}
      <Pager older={older} newer={newer} texts={texts} />
    </>
  );
  return settingsAnswer(site, reader, { title: relations[kind], path, isSaved: false, isWrong: false }, content);
}

/** Renders the servers that a person has blocked, with the form that blocks another one. */
export function domainsPage(
  site: Site,
  reader: Reader,
  list: Paged & { readonly domains: readonly string[]; readonly typed?: string; readonly wrong?: string | undefined },
): Answer {
  const { domains, typed = '', wrong, older, newer } = list;
  const { texts } = reader;
  const { relations } = texts.settings;
  const path = '/settings/domain_blocks';
  const content = (
    <>
      <p class="soft">{relations.domainsText}</p>
      <form class="card" method="post" action={path}>
        <Csrf reader={reader} />
        <Labelled name="domain" label={relations.domain} hint={relations.domainHint} wrong={wrong}>
          <input
            id="domain"
            name="domain"
            required
            maxLength={253}
            value={typed}
            autoCapitalize="none"
            spellcheck={false}
            aria-describedby={wrong === undefined ? 'domain-hint' : 'domain-hint domain-wrong'}
            aria-invalid={wrong !== undefined}
          />
        </Labelled>
        <p class="actions">
          <button type="submit">{relations.block}</button>
        </p>
      </form>
      {domains.length === 0 && <p class="soft">{texts.shell.nothingHere}</p>}
      {domains.length > 0 && (
        <ul class="rows">
          {domains.map((domain) => (
            <li key={domain}>
              <form method="post" action={`${path}/undo`}>
                <Csrf reader={reader} />
                <input type="hidden" name="domain" value={domain} />
                <p class="group">
                  <bdi>{domain}</bdi>
                  <button type="submit" class="plain">
                    {relations.unblock}
                  </button>
                </p>
              </form>
            </li>
          ))}
        </ul>
      )}
      <Pager older={older} newer={newer} texts={texts} />
    </>
  );
  const isWrong = wrong !== undefined;
  return settingsAnswer(site, reader, { title: relations.domains, path, isSaved: false, isWrong }, content);
}
