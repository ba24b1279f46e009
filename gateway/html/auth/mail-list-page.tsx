import type { Answer } from '../../http/route.js';
import type { Reader, Site } from '../site.js';
import { authPage, Hidden, Ways } from './notice-page.js';

/** Renders the choice about the mails of a list. Its form needs no session: the recipient may be signed out. */
export function mailListPage(
  site: Site,
  reader: Reader,
  { text, isWanted }: { readonly text: 'now' | 'stopped' | 'started'; readonly isWanted: boolean },
): Answer {
  const { auth, shell } = reader.texts;
  const { mails } = auth.access;
  const content = (
    <>
      <p>{mails[text]}</p>
      <form method="post" action="">
        <Hidden fields={{ wanted: String(!isWanted) }} />
        <button type="submit">{isWanted ? mails.stop : mails.again}</button>
      </form>
      <Ways ways={[{ href: '/', label: shell.backToFront }]} />
    </>
  );
  return authPage(site, reader, mails.title, content);
}
