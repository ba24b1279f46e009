import type { Answer } from '../../http/route.js';
import type { Account } from '../../pages/account/account.js';
import type { Collection } from '../../pages/status/collection.js';
import { htmlAnswer } from '../page.js';
import { Author, People, personPath } from '../parts/person.js';
import { Raw } from '../parts/raw.js';
import { Time } from '../parts/time.js';
import { plainText } from '../plain-text.js';
import type { Reader, Site } from '../site.js';

/** A collection as everybody sees it. */
export interface ShownCollection {
  readonly collection: Collection;
  readonly path: string;
  readonly owner: Account;
  readonly members: readonly Account[];
}

/** Renders a collection of people. A sensitive one is covered until its reader opens it. */
export function collectionPage(
  site: Site,
  reader: Reader,
  { collection, path, owner, members }: ShownCollection,
): Answer {
  const { texts, language } = reader;
  const { name, description, sensitive, discoverable, tag, updated_at } = collection;
  const lang = collection.language ?? undefined;
  const content = (
    <>
      {description !== '' && <Raw class="content" html={description} lang={lang} />}
      {members.length > 0 ? <People accounts={members} /> : <p class="soft">{texts.shell.nothingHere}</p>}
    </>
  );
  const body = (
    <>
      <h1 lang={lang}>
        <bdi>{name}</bdi>
      </h1>
      <p class="soft">{texts.lists.collectionBy}</p>
      <div class="person">
        <Author account={owner} href={personPath(owner)} />
        <span class="when">
          <Time iso={updated_at} language={language} />
        </span>
      </div>
      {tag !== null && (
        <p>
          <a href={`/tags/${encodeURIComponent(tag.name)}`}>#{tag.name}</a>
        </p>
      )}
      <h2>{texts.lists.members(members.length)}</h2>
      {sensitive ? (
        <details>
          <summary>{texts.lists.sensitiveCollection}</summary>
          {content}
        </details>
      ) : (
        content
      )}
    </>
  );
  const view = {
    ...{ title: name, canonical: path, cache: 'public' as const, isUnlisted: !discoverable },
    ...(!sensitive && description !== '' && { description: plainText(description) }),
  };
  return htmlAnswer(site, reader, view, body);
}
