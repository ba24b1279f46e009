import type { Answer } from '../../http/route.js';
import type { Account } from '../../pages/account/account.js';
import { Csrf } from '../parts/form.js';
import { People } from '../parts/person.js';
import type { Reader, Site } from '../site.js';
import { settingsAnswer } from './frame.js';

const PATH = '/settings/suggestions';

/** Renders suggested people, each with buttons that follow them or end the suggestion. */
export function suggestionsPage(site: Site, reader: Reader, accounts: readonly Account[]): Answer {
  const { settings, shell } = reader.texts;
  const { suggestions: texts } = settings;
  const content = (
    <>
      <p class="soft">{texts.intro}</p>
      {accounts.length === 0 && <p class="soft">{shell.nothingHere}</p>}
      {accounts.length > 0 && (
        <People
          accounts={accounts}
          path={({ id }) => `/web/people/${id}`}
          action={({ id }) => (
            <div class="group">
              {(['follow', 'dismiss'] as const).map((verb) => (
                <form key={verb} method="post" action={`${PATH}/${id}/${verb}`}>
                  <Csrf reader={reader} />
                  <button type="submit" class={verb === 'follow' ? undefined : 'plain'}>
                    {texts[verb]}
                  </button>
                </form>
              ))}
            </div>
          )}
        />
      )}
    </>
  );
  return settingsAnswer(site, reader, { title: texts.title, path: PATH, isSaved: false, isWrong: false }, content);
}
