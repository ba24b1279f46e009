import type { VNode } from 'preact';
import type { Answer } from '../../http/route.js';
import { htmlAnswer } from '../page.js';
import type { Reader, Site } from '../site.js';

/** Facts about one page of the settings. */
interface SettingsView {
  readonly title: string;
  readonly path: string;
  /** A change was just stored. */
  readonly isSaved: boolean;
  /** The form was refused. */
  readonly isWrong: boolean;
}

/** Renders a page of the settings with the navigation between them. */
export function settingsAnswer(site: Site, reader: Reader, view: SettingsView, content: VNode): Answer {
  const { settings } = reader.texts;
  const pages = [
    ['/settings/profile', settings.profile],
    ['/settings/preferences', settings.preferences],
    ['/auth/password/change', settings.password],
    ['/auth/sessions', settings.sessions],
  ] as const;
  const body = (
    <>
      <h1>{view.title}</h1>
      <nav class="tabs" aria-label={settings.title}>
        {pages.map(([path, text]) => (
          <a key={path} href={path} aria-current={path === view.path ? 'page' : undefined}>
            {text}
          </a>
        ))}
      </nav>
      {view.isSaved && (
        <p class="done" role="status">
          {settings.saved}
        </p>
      )}
      {content}
    </>
  );
  const status = view.isWrong ? 422 : 200;
  return htmlAnswer(site, reader, { title: view.title, isUnlisted: true, status }, body);
}
