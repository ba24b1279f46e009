import type { ComponentChildren } from 'preact';
import type { AccountPasskey } from '../../../proto/gen/types.js';
import type { Answer } from '../../http/route.js';
import { Csrf, Labelled } from '../parts/form.js';
import { scriptPath } from '../script-files.js';
import type { Reader, Site } from '../site.js';
import type { Texts } from '../texts/index.js';
import { authPage, Fault, Hidden, Ways } from './notice-page.js';
import { PasswordField } from './second-factor-pages.js';

/** Longest name of a passkey; it stands in one line of a telephone. */
export const PASSKEY_NAME_CHARS_MAX = 50;

/**
 * A form whose field `answer` is filled by the browser's passkeys (browser/passkeys.ts). It stays hidden without a
 * script.
 */
export const PasskeyForm = (props: {
  readonly action: string;
  readonly kind: 'create' | 'get';
  readonly options: object;
  readonly texts: Texts['auth']['passkeys'];
  readonly children: ComponentChildren;
}) => (
  <form
    method="post"
    action={props.action}
    data-passkey={props.kind}
    data-options={JSON.stringify(props.options)}
    data-unable={props.texts.unable}
    hidden
  >
    <Hidden fields={{ answer: '' }} />
    {props.children}
  </form>
);

/** Renders the passkeys of a person, and the form for another one. */
export function passkeysPage(
  site: Site,
  reader: Reader,
  state: {
    readonly passkeys: readonly AccountPasskey[];
    readonly options: object;
    readonly name?: string;
    readonly fault?: string;
    readonly status?: number;
  },
): Answer {
  const { access, otp, passkeys: texts } = reader.texts.auth;
  const { passkeys, options, name, fault, status = 200 } = state;
  const content = (
    <>
      <Fault text={fault} />
      <p>{texts.intro}</p>
      {passkeys.length === 0 ? <p class="soft">{texts.none}</p> : <Passkeys reader={reader} passkeys={passkeys} />}
      <p class="soft" data-without-passkeys>
        {texts.needsScript}
      </p>
      <PasskeyForm action="/settings/passkeys" kind="create" options={options} texts={texts}>
        <Csrf reader={reader} />
        <Labelled name="name" label={texts.name} hint={texts.nameHint}>
          <input id="name" name="name" required maxLength={PASSKEY_NAME_CHARS_MAX} value={name} />
        </Labelled>
        <PasswordField label={otp.password} />
        <button type="submit">{texts.add}</button>
      </PasskeyForm>
      <Ways ways={[{ href: '/auth/sessions', label: access.sessions.title }]} />
    </>
  );
  return authPage(site, reader, texts.title, content, { status, script: scriptPath('passkeys') });
}

function Passkeys({ reader, passkeys }: { readonly reader: Reader; readonly passkeys: readonly AccountPasskey[] }) {
  const { passkeys: texts } = reader.texts.auth;
  const day = new Intl.DateTimeFormat(reader.language, { dateStyle: 'long', timeZone: 'UTC' });
  return (
    <ul>
      {passkeys.map(({ id, name, createdAtMs, usedAtMs }) => (
        <li key={id}>
          <p>
            <strong>
              <bdi>{name}</bdi>
            </strong>
          </p>
          <p class="soft small">{texts.added(day.format(createdAtMs))}</p>
          <p class="soft small">{usedAtMs === 0 ? texts.unused : texts.used(day.format(usedAtMs))}</p>
          <form method="post" action="/settings/passkeys/remove">
            <Csrf reader={reader} />
            <Hidden fields={{ id }} />
            <button type="submit" class="plain danger">
              {texts.remove(name)}
            </button>
          </form>
        </li>
      ))}
    </ul>
  );
}
