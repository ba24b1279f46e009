import type { Answer } from '../../http/route.js';
import type { Account } from '../../pages/account/account.js';
import type { FeaturedTag } from '../../pages/account/featured-tag.js';
import { Csrf, Labelled } from '../parts/form.js';
import { Pager } from '../parts/pager.js';
import { People } from '../parts/person.js';
import type { Reader, Site } from '../site.js';
import { settingsAnswer } from './frame.js';

const PATH = '/settings/featured';

/** Facts about what a profile features. */
export interface Featured {
  readonly tags: readonly FeaturedTag[];
  readonly people: readonly Account[];
  readonly older: string | undefined;
  readonly newer: string | undefined;
  readonly typed: Readonly<Partial<Record<'name' | 'acct', string>>>;
  /** Messages at the fields. */
  readonly wrong: Readonly<Partial<Record<'name' | 'acct', string>>>;
}

/** Renders the hashtags and people that a profile features, with forms that add and remove them. */
export function featuredPage(site: Site, reader: Reader, featured: Featured): Answer {
  const { tags, people, older, newer, typed, wrong } = featured;
  const { texts } = reader;
  const { featured: own } = texts.settings;
  const content = (
    <>
      <p class="soft">{own.intro}</p>
      <h2>{texts.profile.featuredTags}</h2>
      <Add action="tags" name="name" label={own.tag} reader={reader} typed={typed.name} wrong={wrong.name} />
      {tags.length > 0 && (
        <ul class="rows">
          {tags.map(({ id, name }) => (
            <li key={id}>
              <form method="post" action={`${PATH}/tags/${id}/remove`}>
                <Csrf reader={reader} />
                <p class="group">
                  <a href={`/tags/${encodeURIComponent(name)}`}>#{name}</a>
                  <button type="submit" class="plain">
                    {own.remove}
                  </button>
                </p>
              </form>
            </li>
          ))}
        </ul>
      )}
      <h2>{texts.profile.featured}</h2>
      <Add action="people" name="acct" label={own.person} reader={reader} typed={typed.acct} wrong={wrong.acct} />
      {people.length > 0 && (
        <People
          accounts={people}
          action={({ id }) => (
            <form method="post" action={`${PATH}/people/${id}/remove`}>
              <Csrf reader={reader} />
              <button type="submit" class="plain">
                {own.remove}
              </button>
            </form>
          )}
        />
      )}
      <Pager older={older} newer={newer} texts={texts} />
    </>
  );
  const isWrong = wrong.name !== undefined || wrong.acct !== undefined;
  return settingsAnswer(site, reader, { title: own.title, path: PATH, isSaved: false, isWrong }, content);
}

function Add(props: {
  readonly action: string;
  readonly name: string;
  readonly label: string;
  readonly reader: Reader;
  readonly typed: string | undefined;
  readonly wrong: string | undefined;
}) {
  const { action, name, label, reader, typed = '', wrong } = props;
  return (
    <form class="card" method="post" action={`${PATH}/${action}`}>
      <Csrf reader={reader} />
      <Labelled name={name} label={label} wrong={wrong}>
        <input
          id={name}
          name={name}
          required
          maxLength={320}
          value={typed}
          autoCapitalize="none"
          spellcheck={false}
          aria-describedby={wrong === undefined ? undefined : `${name}-wrong`}
          aria-invalid={wrong !== undefined}
        />
      </Labelled>
      <p class="actions">
        <button type="submit">{reader.texts.settings.featured.add}</button>
      </p>
    </form>
  );
}
