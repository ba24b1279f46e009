import type { Answer } from '../../http/route.js';
import type { CredentialAccount } from '../../pages/account/account.js';
import { Choice, Csrf, Labelled, Tick } from '../parts/form.js';
import type { Reader, Site } from '../site.js';
import { LANGUAGE_TAGS } from '../texts/index.js';
import { settingsAnswer } from './frame.js';

/** The state of the form: stored values, or those that were typed, and what is wrong with them. */
export interface Preferences {
  readonly account: CredentialAccount;
  readonly isSaved: boolean;
  /** Message at the language: the only field that people type. */
  readonly wrongLanguage?: string;
  readonly typedLanguage?: string;
}

/** Returns the name of a language in that language. */
const nameOf = (tag: string) => new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;

/** Renders the preferences of a person. */
export function preferencesPage(site: Site, reader: Reader, preferences: Preferences): Answer {
  const { account, isSaved, wrongLanguage, typedLanguage } = preferences;
  const { settings, posts } = reader.texts;
  const visibilities = (['public', 'unlisted', 'private', 'direct'] as const).map(
    (one) => [one, posts.visibility[one]] as const,
  );
  const body = (
    <>
      <form method="post" action="/settings/preferences">
        <Csrf reader={reader} />
        <Choice
          name="page_language"
          label={settings.pageLanguage}
          value={reader.language}
          options={LANGUAGE_TAGS.map((tag) => [tag, nameOf(tag)])}
        />
        <Choice name="privacy" label={settings.visibility} value={account.source.privacy} options={visibilities} />
        <Labelled name="language" label={settings.language} hint={settings.languageHint} wrong={wrongLanguage}>
          <input
            id="language"
            name="language"
            maxLength={20}
            value={typedLanguage ?? account.source.language ?? ''}
            autoCapitalize="none"
            spellcheck={false}
            aria-describedby="language-hint"
            aria-invalid={wrongLanguage !== undefined}
          />
        </Labelled>
        <Tick name="sensitive" label={settings.sensitive} value={account.source.sensitive} />
        <Tick name="hide_collections" label={settings.hidden} value={account.hide_collections === true} />
        <Tick name="discoverable" label={settings.discoverable} value={account.discoverable === true} />
        <Tick name="indexable" label={settings.indexable} value={account.indexable} />
        <Tick name="bot" label={settings.bot} value={account.bot} />
        <button type="submit">{settings.save}</button>
      </form>
    </>
  );
  const path = '/settings/preferences';
  return settingsAnswer(
    site,
    reader,
    { title: settings.preferences, path, isSaved, isWrong: wrongLanguage !== undefined },
    body,
  );
}
