import type { AccountOwnApp } from '../../../proto/gen/types.js';
import type { Answer } from '../../http/route.js';
import { Fault } from '../auth/notice-page.js';
import { Csrf, Labelled } from '../parts/form.js';
import type { Reader, Site } from '../site.js';
import { settingsAnswer } from './frame.js';

const PATH = '/settings/applications';
/** Applications that show codes to a person, who copies them. Source: RFC 8252. */
const OUT_OF_BAND = 'urn:ietf:wg:oauth:2.0:oob';

export type TypedApp = Readonly<Partial<Record<'client_name' | 'website' | 'redirect_uris' | 'scopes', string>>>;

/** A secret that is shown once. */
export interface ShownSecret {
  readonly clientId: string;
  readonly secret: string;
}

/** Renders the applications that a person develops, with the form of a new one. */
export function applicationsPage(
  site: Site,
  reader: Reader,
  state: {
    readonly apps: readonly AccountOwnApp[];
    readonly typed: TypedApp;
    readonly fault?: string;
    readonly secret?: ShownSecret;
  },
): Answer {
  const { apps, typed, fault, secret } = state;
  const { applications: texts } = reader.texts.settings;
  const line = (name: keyof TypedApp, label: string, value = '') => (
    <Labelled name={name} label={label}>
      <input id={name} name={name} maxLength={2_000} value={typed[name] ?? value} />
    </Labelled>
  );
  const content = (
    <>
      <p class="soft">{texts.intro}</p>
      {secret !== undefined && (
        <div class="card" role="status">
          <p>{texts.secretOnce}</p>
          <p>
            {texts.secret}: <code>{secret.secret}</code>
          </p>
        </div>
      )}
      {apps.length === 0 && <p class="soft">{texts.none}</p>}
      {apps.length > 0 && (
        <ul class="rows">
          {apps.map((app) => (
            <li key={app.clientId}>
              <App app={app} reader={reader} />
            </li>
          ))}
        </ul>
      )}
      <h2>{texts.create}</h2>
      <Fault text={fault} />
      <form class="card" method="post" action={PATH}>
        <Csrf reader={reader} />
        {line('client_name', texts.name)}
        {line('website', texts.website)}
        <Labelled name="redirect_uris" label={texts.redirects} hint={texts.redirectsHint}>
          <textarea id="redirect_uris" name="redirect_uris" aria-describedby="redirect_uris-hint">
            {typed.redirect_uris ?? OUT_OF_BAND}
          </textarea>
        </Labelled>
        {line('scopes', texts.scopes, 'read write')}
        <p class="actions">
          <button type="submit">{texts.create}</button>
        </p>
      </form>
    </>
  );
  const isWrong = fault !== undefined;
  return settingsAnswer(site, reader, { title: texts.title, path: PATH, isSaved: false, isWrong }, content);
}

function App({ app, reader }: { readonly app: AccountOwnApp; readonly reader: Reader }) {
  const { applications: texts } = reader.texts.settings;
  const button = (action: string, label: string) => (
    <form method="post" action={`${PATH}/${action}`}>
      <Csrf reader={reader} />
      <input type="hidden" name="client" value={app.clientId} />
      <button type="submit" class="plain">
        {label}
      </button>
    </form>
  );
  return (
    <>
      <p>
        <strong>
          <bdi>{app.name}</bdi>
        </strong>{' '}
        <code>{app.scopes.join(' ')}</code>
      </p>
      <p>
        {texts.client}: <code>{app.clientId}</code>
      </p>
      <div class="group">
        {button('secret', texts.renew)}
        {button('delete', texts.remove)}
      </div>
    </>
  );
}
