import type { Answer } from '../../http/route.js';
import type { Account } from '../../pages/account/account.js';
import { htmlAnswer } from '../page.js';
import { Markdown } from '../parts/markdown.js';
import { Author } from '../parts/person.js';
import { count } from '../parts/time.js';
import { Feed, type StatusPieces } from '../posts.js';
import type { Reader, Site } from '../site.js';

/** Facts about the instance for its front page. */
export interface Front {
  readonly description: string;
  readonly extended: string;
  readonly contact: Account | undefined;
  readonly contactEmail: string;
  readonly rules: readonly { readonly text: string; readonly hint: string }[];
  readonly users: number;
  readonly statuses: number;
  readonly activeMonth: number;
  readonly servers: number;
  readonly registrations: 'open' | 'approval' | 'closed';
  readonly registrationsMessage: string | undefined;
  /** Empty if the instance does not show them. */
  readonly latest: readonly (StatusPieces | undefined)[];
}

/** A web client, and how it takes the instance from its address. */
const APPS: readonly { readonly name: string; readonly url: (domain: string) => string }[] = [
  { name: 'Phanpy', url: (domain) => `https://phanpy.social/#/login?instance=${domain}` },
  { name: 'Elk', url: (domain) => `https://elk.zone/${domain}/public/local` },
  { name: 'Semaphore', url: (domain) => `https://semaphore.social/settings/instances/add?instance=${domain}` },
  { name: 'Mastodon (Android, iOS)', url: () => 'https://joinmastodon.org/apps' },
];

/** Renders the front page. */
export function frontPage(site: Site, reader: Reader, front: Front): Answer {
  const { texts, language } = reader;
  const body = (
    <>
      <h1>
        <bdi>{site.title}</bdi>
      </h1>
      <p>{front.description}</p>
      <Numbers front={front} reader={reader} />
      {reader.person === undefined && <Join site={site} front={front} reader={reader} />}
      <Operators front={front} reader={reader} />
      <Rules front={front} reader={reader} />
      <Apps site={site} reader={reader} />
      {front.latest.length > 0 && (
        <section>
          <h2>{texts.front.latest}</h2>
          <Feed posts={front.latest} texts={texts} language={language} />
          <p>
            <a href="/public/local">{texts.shell.local}</a>
          </p>
        </section>
      )}
    </>
  );
  return htmlAnswer(site, reader, viewOf(site, front, texts.shell.home, '/'), body);
}

/** Renders everything that the instance says about itself. */
export function aboutPage(site: Site, reader: Reader, front: Front, blocks: PublishedBlocks): Answer {
  const { texts } = reader;
  const body = (
    <>
      <h1>{texts.front.about}</h1>
      <p>{front.description}</p>
      {front.extended !== '' && <Markdown text={front.extended} />}
      <Numbers front={front} reader={reader} />
      <Operators front={front} reader={reader} />
      <Rules front={front} reader={reader} />
      <Apps site={site} reader={reader} />
      <Blocks blocks={blocks} reader={reader} />
      <p class="soft small">
        {texts.front.version} {site.instance.version} · <a href={site.sourceUrl}>{texts.shell.source}</a>
      </p>
    </>
  );
  return htmlAnswer(site, reader, viewOf(site, front, texts.front.about, '/about'), body);
}

const viewOf = (site: Site, front: Front, title: string, canonical: string) =>
  ({
    title,
    canonical,
    description: front.description,
    image: `${site.instance.baseUrl}/apple-touch-icon.png`,
    cache: 'public',
  }) as const;

interface Part {
  readonly front: Front;
  readonly reader: Reader;
}

function Numbers({ front, reader: { texts, language } }: Part) {
  const numbers = [
    [texts.front.people, front.users],
    [texts.front.active, front.activeMonth],
    [texts.front.posts, front.statuses],
    [texts.front.servers, front.servers],
  ] as const;
  return (
    <ul class="numbers">
      {numbers.map(([name, value]) => (
        <li key={name}>
          <strong>{count(language, value)}</strong> {name}
        </li>
      ))}
    </ul>
  );
}

function Join({ site, front, reader: { texts } }: Part & { readonly site: Site }) {
  if (front.registrations === 'closed') {
    return (
      <section class="card">
        <h2>{texts.front.join}</h2>
        <p>{front.registrationsMessage ?? texts.front.closed}</p>
        {front.contactEmail !== '' && (
          <p>
            {texts.front.closedAsk} <a href={`mailto:${front.contactEmail}`}>{front.contactEmail}</a>
          </p>
        )}
        <p>
          <a class="button plain" href="/auth/sign_in">
            {texts.shell.signIn}
          </a>
        </p>
      </section>
    );
  }
  return (
    <section class="card">
      <h2>{texts.front.join}</h2>
      <p>{texts.front.joinText(site.title)}</p>
      {front.registrations === 'approval' && <p class="soft">{texts.front.approval}</p>}
      <p class="actions">
        <a class="button" href="/auth/sign_up">
          {texts.shell.signUp}
        </a>
        <a class="button plain" href="/auth/sign_in">
          {texts.shell.signIn}
        </a>
      </p>
    </section>
  );
}

function Operators({ front, reader: { texts } }: Part) {
  if (front.contact === undefined && front.contactEmail === '') return null;
  return (
    <section class="card">
      <h2>{texts.front.runBy}</h2>
      {front.contact !== undefined && (
        <div class="person">
          <Author account={front.contact} />
        </div>
      )}
      {front.contactEmail !== '' && (
        <p>
          {texts.front.contact}: <a href={`mailto:${front.contactEmail}`}>{front.contactEmail}</a>
        </p>
      )}
    </section>
  );
}

function Rules({ front: { rules }, reader: { texts } }: Part) {
  return (
    <section id="rules">
      <h2>{texts.shell.rules}</h2>
      {rules.length === 0 ? (
        <p class="soft">{texts.shell.notWritten}</p>
      ) : (
        <ol>
          {rules.map(({ text, hint }, index) => (
            <li key={index}>
              {text}
              {hint !== '' && <span class="soft small"> {hint}</span>}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function Apps({ site, reader: { texts } }: { readonly site: Site; readonly reader: Reader }) {
  return (
    <section>
      <h2 id="apps">{texts.front.apps}</h2>
      <p>{texts.front.appsText}</p>
      <ul class="tags">
        {APPS.map(({ name, url }) => (
          <li key={name}>
            <a href={url(site.instance.domain)} rel="noopener noreferrer">
              {name}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A server that this one limits or suspends, as the API lists it. */
export interface Blocked {
  readonly domain: string;
  readonly severity: 'silence' | 'suspend';
  /** Absent: the operator does not publish the reasons. */
  readonly comment?: string | null;
}

/** Limits as the operator publishes them; undefined: to nobody. */
type PublishedBlocks = readonly Blocked[] | 'for users' | undefined;

function Blocks({ blocks, reader: { texts } }: { readonly blocks: PublishedBlocks; readonly reader: Reader }) {
  const { front } = texts;
  const hasReasons = Array.isArray(blocks) && blocks.some(({ comment }) => comment !== undefined);
  return (
    <section id="moderated">
      <h2>{front.blocked}</h2>
      {blocks === 'for users' ? (
        <p class="soft">{front.blockedForUsers}</p>
      ) : blocks === undefined || blocks.length === 0 ? (
        <p class="soft">{front.blockedNone}</p>
      ) : (
        <>
          <p>{front.blockedText}</p>
          <section class="table" aria-label={front.blocked}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{front.domain}</th>
                  <th scope="col">{front.severity}</th>
                  {hasReasons && <th scope="col">{front.reason}</th>}
                </tr>
              </thead>
              <tbody>
                {blocks.map((one) => (
                  <tr key={one.domain}>
                    <td>{one.domain}</td>
                    <td>{front[one.severity] ?? one.severity}</td>
                    {hasReasons && <td>{one.comment}</td>}
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </>
      )}
    </section>
  );
}

/** Renders a text of the administrators: the privacy policy, the terms of service. */
export function policyPage(site: Site, reader: Reader, title: string, text: string, path: string): Answer {
  const body = (
    <>
      <h1>{title}</h1>
      {text === '' ? <p>{reader.texts.shell.notWritten}</p> : <Markdown text={text} />}
      <p>
        <a href="/about">{reader.texts.front.about}</a>
      </p>
    </>
  );
  return htmlAnswer(site, reader, { title, canonical: path, cache: 'public' }, body);
}
