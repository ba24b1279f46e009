import type { Answer } from '../../http/route.js';
import type { CredentialAccount } from '../../pages/account/account.js';
import { Csrf, Labelled, Tick } from '../parts/form.js';
import { personPath } from '../parts/person.js';
import type { Reader, Site } from '../site.js';
import { settingsAnswer } from './frame.js';

/** Numbers of the fields that the form shows; Mastodon's limit. */
export const FIELD_NUMBERS = [1, 2, 3, 4] as const;

/** The texts of the form, by name of the field. */
export type TypedProfile = Readonly<Record<string, string>>;

/** Sections of a person's page that the form shows or hides, by their names in the API. */
export const SECTIONS = ['show_media', 'show_media_replies', 'show_featured'] as const;

/** The ticks of the form. */
export type ProfileTicks = Readonly<Record<'locked' | (typeof SECTIONS)[number], boolean>>;

/** Returns the ticks of the form for the stored profile. */
export const ticksOf = (account: CredentialAccount): ProfileTicks => ({
  locked: account.locked,
  show_media: account.show_media !== false,
  show_media_replies: account.show_media_replies !== false,
  show_featured: account.show_featured !== false,
});

/** State of the form: stored values, or those that were typed, and why they were refused. */
export interface ProfileSettings {
  readonly account: CredentialAccount;
  readonly typed: TypedProfile;
  readonly ticks: ProfileTicks;
  readonly isSaved: boolean;
  readonly fault?: string;
}

/** Returns the texts of the form for the stored profile. */
export function typedOf({
  display_name,
  source,
  avatar_description,
  header_description,
}: CredentialAccount): TypedProfile {
  const fields = source.fields.flatMap(({ name, value }, index) => [
    [`name${index + 1}`, name],
    [`value${index + 1}`, value],
  ]);
  return {
    display_name,
    note: source.note,
    avatar_description: avatar_description ?? '',
    header_description: header_description ?? '',
    ...Object.fromEntries(fields),
  };
}

/** Renders the form of the profile. */
export function profileSettingsPage(site: Site, reader: Reader, state: ProfileSettings): Answer {
  const { account, typed, ticks, isSaved, fault } = state;
  const { settings } = reader.texts;
  const line = (name: string, label: string, max = 1_500) => (
    <Labelled name={name} label={label}>
      <input id={name} name={name} maxLength={max} value={typed[name] ?? ''} />
    </Labelled>
  );
  const body = (
    <form class="card" method="post" action="/settings/profile" encType="multipart/form-data">
      <Csrf reader={reader} />
      {fault !== undefined && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      {line('display_name', settings.displayName)}
      <Labelled name="note" label={settings.note} hint={settings.noteHint}>
        <textarea id="note" name="note" maxLength={20_000} aria-describedby="note-hint">
          {typed.note}
        </textarea>
      </Labelled>
      <Picture name="avatar" label={settings.avatar} url={account.avatar_static} hint={settings.pictureHint} />
      {line('avatar_description', settings.avatarDescription)}
      <Picture name="header" label={settings.header} url={account.header_static} hint={settings.pictureHint} />
      {line('header_description', settings.headerDescription)}
      <fieldset>
        <legend>{settings.fields}</legend>
        <p class="hint">{settings.fieldsHint}</p>
        {FIELD_NUMBERS.map((number) => (
          <div key={number} class="pair">
            <div>{line(`name${number}`, settings.fieldName(number))}</div>
            <div>{line(`value${number}`, settings.fieldValue(number))}</div>
          </div>
        ))}
      </fieldset>
      <Tick name="locked" label={settings.locked} value={ticks.locked} />
      <fieldset>
        <legend>{settings.sections.legend}</legend>
        {SECTIONS.map((name) => (
          <Tick key={name} name={name} label={settings.sections[name]} value={ticks[name]} />
        ))}
      </fieldset>
      <p class="actions">
        <button type="submit">{settings.save}</button>
        <a class="button plain" href={personPath(account)}>
          {settings.seeProfile}
        </a>
      </p>
    </form>
  );
  const view = { title: settings.profile, path: '/settings/profile', isSaved, isWrong: fault !== undefined };
  return settingsAnswer(site, reader, view, body);
}

function Picture(props: {
  readonly name: string;
  readonly label: string;
  readonly url: string;
  readonly hint: string;
}) {
  const { name, label, url, hint } = props;
  return (
    <Labelled name={name} label={label} hint={hint}>
      <span class="picture">
        <img src={url} alt="" width="64" height="64" />
        <input id={name} name={name} type="file" accept="image/*" aria-describedby={`${name}-hint`} />
      </span>
    </Labelled>
  );
}
