import type { ComponentChildren } from 'preact';
import type { Answer } from '../../http/route.js';
import type { Account } from '../../pages/account/account.js';
import type { Status } from '../../pages/status/status.js';
import { htmlAnswer } from '../page.js';
import { personPath, shownName } from '../parts/person.js';
import { postPath } from '../parts/post.js';
import type { Reader, Site } from '../site.js';

/** The way to a reader's own server. */
export interface Way {
  /** Address to search there. */
  readonly address: string;
  readonly typed?: string;
  readonly isWrong?: boolean;
  /** The address at the named server. It is a link and no redirect, so that nobody is led elsewhere unasked. */
  readonly target?: URL;
}

/** Renders the form in which somebody names their own server, to follow a person from there. */
export function followPage(site: Site, reader: Reader, account: Account, way: Way): Answer {
  const { profile } = reader.texts;
  const back = (
    <a href={personPath(account)}>
      <bdi>{shownName(account)}</bdi>
    </a>
  );
  const at = { title: profile.follow, path: `${personPath(account)}/follow`, back, unknown: profile.followUnknown };
  return elsewherePage(site, reader, { ...way, address: `@${way.address}` }, at);
}

/** Renders the form in which somebody names their own server, to reply to a post from there. */
export function interactPage(site: Site, reader: Reader, status: Status, way: Way): Answer {
  const { posts } = reader.texts;
  const back = <a href={postPath(status)}>{posts.title(shownName(status.account), '')}</a>;
  const at = { title: posts.interact, path: `${postPath(status)}/interact`, back, unknown: posts.interactUnknown };
  return elsewherePage(site, reader, way, at);
}

interface Place {
  readonly title: string;
  /** Path of the form. */
  readonly path: string;
  /** Link back to the person or the post. */
  readonly back: ComponentChildren;
  /** Text for servers that do not know the way. */
  readonly unknown: string;
}

function elsewherePage(
  site: Site,
  reader: Reader,
  { address, typed = '', isWrong = false, target }: Way,
  { title, path, back, unknown }: Place,
): Answer {
  const { profile } = reader.texts;
  const body = (
    <>
      <h1>{title}</h1>
      <p>
        {back} <span class="soft">{address}</span>
      </p>
      <form method="get" action={path}>
        <label for="from">{profile.address}</label>
        <span class="hint" id="from-hint">
          {profile.followHint}
        </span>
        <input
          id="from"
          name="from"
          required
          maxLength={300}
          value={typed}
          autoCapitalize="none"
          spellcheck={false}
          aria-describedby="from-hint from-wrong"
          aria-invalid={isWrong}
        />
        <span class="wrong" id="from-wrong" role={isWrong ? 'alert' : undefined}>
          {isWrong ? profile.followWrong : ''}
        </span>
        <button type="submit" class={target === undefined ? undefined : 'plain'}>
          {profile.followGo}
        </button>
      </form>
      {target !== undefined && (
        <>
          <p role="status">
            <a class="button" href={target.href} rel="nofollow noopener noreferrer">
              {profile.followAt(target.host)}
            </a>
          </p>
          <p class="soft">
            {unknown} {address}
          </p>
        </>
      )}
    </>
  );
  const view = { title, width: 'form', isUnlisted: true } as const;
  return htmlAnswer(site, reader, { ...view, ...(isWrong && { status: 422 }) }, body);
}
