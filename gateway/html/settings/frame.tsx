import type { VNode } from 'preact';
import type { Answer } from '../../http/route.js';
import { htmlAnswer } from '../page.js';
import type { Reader, Site } from '../site.js';

/** Facts about one page of the settings. */
interface SettingsView {
  readonly title: string;
  /** Path of the page in the navigation, which is marked as the present one. */
  readonly path: string;
  /** A change was just stored. */
  readonly isSaved: boolean;
  /** The form was refused. */
  readonly isWrong: boolean;
}

type Page = readonly [path: string, text: string];

interface Section {
  readonly title: string;
  readonly pages: readonly [Page, ...Page[]];
}

/** Returns the sections of the settings with their pages, in the order of the navigation. */
const sectionsIn = ({ texts: { settings, auth }, person }: Reader): readonly Section[] => [
  {
    title: settings.profile,
    pages: [
      ['/settings/profile', settings.profile],
      ['/settings/featured', settings.featured.title],
      ['/settings/suggestions', settings.suggestions.title],
    ],
  },
  { title: settings.preferences, pages: [['/settings/preferences', settings.preferences]] },
  {
    title: settings.protection,
    pages: [
      ['/settings/filters', settings.filters.title],
      ['/settings/mutes', settings.relations.mutes],
      ['/settings/blocks', settings.relations.blocks],
      ['/settings/domain_blocks', settings.relations.domains],
    ],
  },
  {
    title: settings.account,
    pages: [
      ['/settings/account', settings.ownAccount.title],
      ['/auth/password/change', settings.password],
      ['/settings/otp', auth.otp.title],
      ['/auth/sessions', settings.sessions],
      ['/settings/aliases', settings.ownAccount.aliases.title],
      ['/settings/migration', settings.ownAccount.migration.title],
      ['/settings/delete', settings.ownAccount.deletion.title],
    ],
  },
  {
    title: settings.data.title,
    pages: [
      ['/settings/archive', settings.data.archive.title],
      ['/settings/export', settings.data.transfer.export],
      ['/settings/import', settings.data.transfer.import],
    ],
  },
  { title: settings.applications.title, pages: [['/settings/applications', settings.applications.title]] },
  ...(person?.mayInvite === true
    ? ([{ title: settings.invites.title, pages: [['/settings/invites', settings.invites.title]] }] as const)
    : []),
];

/** Renders a page of the settings with the navigation between them. */
export function settingsAnswer(site: Site, reader: Reader, view: SettingsView, content: VNode): Answer {
  const { settings } = reader.texts;
  const body = (
    <>
      <h1>{view.title}</h1>
      <Navigation path={view.path} reader={reader} />
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

/** Sections, and below them the pages of the present section if it has several. */
function Navigation({ path, reader }: { readonly path: string; readonly reader: Reader }) {
  const sections = sectionsIn(reader);
  const present = sections.find(({ pages }) => pages.some(([one]) => one === path));
  return (
    <>
      <nav class="tabs wrapped" aria-label={reader.texts.settings.title}>
        {sections.map((section) => (
          <a
            key={section.title}
            href={section.pages[0][0]}
            aria-current={section !== present ? undefined : section.pages.length > 1 ? 'true' : 'page'}
          >
            {section.title}
          </a>
        ))}
      </nav>
      {present !== undefined && present.pages.length > 1 && (
        <nav class="pills" aria-label={present.title}>
          {present.pages.map(([one, text]) => (
            <a key={one} href={one} aria-current={one === path ? 'page' : undefined}>
              {text}
            </a>
          ))}
        </nav>
      )}
    </>
  );
}
