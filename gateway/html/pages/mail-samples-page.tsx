import type { Answer } from '../../http/route.js';
import { htmlAnswer } from '../page.js';
import type { Reader, Site } from '../site.js';

const FORMS = ['html', 'text'] as const;

/** Renders the list of templates of mails, for developers. */
export function mailSamplesPage(
  site: Site,
  reader: Reader,
  {
    path,
    names,
    languages,
  }: { readonly path: string; readonly names: readonly string[]; readonly languages: readonly string[] },
): Answer {
  const links = languages.flatMap((language) => FORMS.map((form) => ({ language, form })));
  const body = (
    <>
      <h1>Mails</h1>
      <ul>
        {names.map((mail) => (
          <li key={mail}>
            {mail}:
            {links.map(({ language, form }) => (
              <>
                {' '}
                <a href={`${path}?${new URLSearchParams({ mail, language, form })}`}>
                  {language} {form}
                </a>
              </>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
  return htmlAnswer(site, reader, { title: 'Mails', width: 'form', isUnlisted: true }, body);
}
