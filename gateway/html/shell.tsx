import type { ComponentChildren } from 'preact';
import type { Reader, Site } from './site.js';
import { STYLE_PATH } from './style/index.js';
import type { View } from './view.js';

/** Frame of each page: head, skip link, header with navigation, content and footer. */
export function Shell(props: {
  readonly site: Site;
  readonly reader: Reader;
  readonly view: View;
  readonly children: ComponentChildren;
}) {
  const { site, reader, view, children } = props;
  const { texts } = reader;
  if (view.isEmbeddable === true) return <Frame {...props} />;
  return (
    <html lang={reader.language}>
      <Head site={site} view={view} />
      <body>
        <a class="skip" href="#content">
          {texts.shell.skip}
        </a>
        <Header site={site} reader={reader} />
        <main id="content" class={view.width ?? 'read'}>
          {reader.fault !== undefined && (
            <p class="fault" role="alert">
              {reader.fault}
            </p>
          )}
          {children}
        </main>
        <Footer site={site} reader={reader} />
      </body>
    </html>
  );
}

/** The page without header and footer, for the frames of other sites. */
function Frame({ site, reader, view, children }: Parameters<typeof Shell>[0]) {
  return (
    <html lang={reader.language}>
      <Head site={site} view={view} />
      <body class="embedded">
        <main id="content">{children}</main>
      </body>
    </html>
  );
}

function Head({ site, view }: { readonly site: Site; readonly view: View }) {
  const { title, instance } = site;
  const canonical = view.canonical === undefined ? undefined : `${instance.baseUrl}${view.canonical}`;
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${view.title} – ${title}`}</title>
      <link rel="stylesheet" href={STYLE_PATH} />
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
      <link rel="manifest" href="/manifest.json" />
      {view.isUnlisted === true && <meta name="robots" content="noindex" />}
      {canonical !== undefined && <link rel="canonical" href={canonical} />}
      {view.description !== undefined && <meta name="description" content={view.description} />}
      <meta property="og:site_name" content={title} />
      <meta property="og:title" content={view.title} />
      <meta property="og:type" content={view.kind ?? 'website'} />
      {canonical !== undefined && <meta property="og:url" content={canonical} />}
      {view.description !== undefined && <meta property="og:description" content={view.description} />}
      {view.image !== undefined && <meta property="og:image" content={view.image} />}
      {view.head}
      {view.script !== undefined && <script type="module" src={view.script} />}
    </head>
  );
}

function Header({ site, reader }: { readonly site: Site; readonly reader: Reader }) {
  const { person, texts } = reader;
  const { shell } = texts;
  return (
    <header class="bar">
      <div>
        <a class="brand" href="/">
          <img src="/favicon.svg" alt="" width="28" height="28" />
          <bdi>{site.title}</bdi>
        </a>
        <nav aria-label={shell.main}>
          <a href="/public/local">{shell.local}</a>
          <a href="/explore">{shell.explore}</a>
          {person === undefined ? (
            <>
              <a href="/auth/sign_in">{shell.signIn}</a>
              {site.canSignUp && (
                <a class="call" href="/auth/sign_up">
                  {shell.signUp}
                </a>
              )}
            </>
          ) : (
            <>
              <a href="/web">{shell.home}</a>
              {person.isModerator && <a href="/moderation/reports">{shell.moderation}</a>}
              <a href="/settings/profile">{shell.settings}</a>
            </>
          )}
        </nav>
      </div>
    </header>
  );
}

function Footer({ site, reader }: { readonly site: Site; readonly reader: Reader }) {
  const { texts, person } = reader;
  return (
    <footer class="bar">
      <div>
        <nav aria-label={texts.shell.about}>
          <a href="/about">{texts.shell.about}</a>
          <a href="/about#rules">{texts.shell.rules}</a>
          <a href="/privacy-policy">{texts.shell.privacy}</a>
          {site.hasTerms && <a href="/terms-of-service">{texts.shell.terms}</a>}
          <a href={site.sourceUrl}>{texts.shell.source}</a>
        </nav>
        <span>Murmuration {site.instance.version}</span>
        {person !== undefined && (
          <form method="post" action="/auth/sign_out">
            <input type="hidden" name="csrf" value={person.csrf} />
            <button type="submit" class="link">
              {texts.shell.signOut} (@{person.username})
            </button>
          </form>
        )}
      </div>
    </footer>
  );
}
