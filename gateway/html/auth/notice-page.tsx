import type { ComponentChildren } from 'preact';
import type { Answer } from '../../http/route.js';
import { htmlAnswer } from '../page.js';
import type { Reader, Site } from '../site.js';
import type { Texts } from '../texts/index.js';
import type { View } from '../view.js';

/** A link that leads on. */
export interface Way {
  readonly href: string;
  readonly label: string;
}

type More = Partial<Pick<View, 'status' | 'cookie' | 'formAction' | 'script'>>;

/** Renders a page of the sign-in: a heading, and a card of the width of a form. */
export function authPage(
  site: Site,
  reader: Reader,
  title: string,
  content: ComponentChildren,
  more: More = {},
): Answer {
  const body = (
    <>
      <h1>{title}</h1>
      {content}
    </>
  );
  return htmlAnswer(site, reader, { title, width: 'form', isUnlisted: true, ...more }, body);
}

export const Ways = ({ ways }: { readonly ways: readonly Way[] }) => (
  <>
    {ways.map(({ href, label }) => (
      <p key={href}>
        <a href={href}>{label}</a>
      </p>
    ))}
  </>
);

/** Renders a page that says one thing and leads on. */
export function noticePage(
  site: Site,
  reader: Reader,
  {
    title,
    text,
    ways,
    ...more
  }: More & { readonly title: string; readonly text: string; readonly ways: readonly Way[] },
): Answer {
  const content = (
    <>
      <p>{text}</p>
      <Ways ways={ways} />
    </>
  );
  return authPage(site, reader, title, content, more);
}

export type Refusal = keyof Texts['auth']['access']['refusals'];

/** Renders a refusal. `detail` is for the developers of an application. */
export function refusalPage(
  site: Site,
  reader: Reader,
  {
    refusal,
    status,
    detail,
    ways = [],
  }: {
    readonly refusal: Refusal;
    readonly status: number;
    readonly detail?: string | undefined;
    readonly ways?: readonly Way[];
  },
): Answer {
  const { auth, shell } = reader.texts;
  const [title, text] = auth.access.refusals[refusal];
  const content = (
    <>
      <p class="fault" role="alert">
        {text}
      </p>
      {detail !== undefined && (
        <p>
          <code>{detail}</code>
        </p>
      )}
      <Ways ways={[...ways, { href: '/', label: shell.backToFront }]} />
    </>
  );
  return authPage(site, reader, title, content, { status });
}

/** Hidden fields of a form; absent ones are left out. */
export const Hidden = ({ fields }: { readonly fields: Readonly<Record<string, string | undefined>> }) => (
  <>
    {Object.entries(fields).map(
      ([name, value]) => value !== undefined && <input key={name} type="hidden" name={name} value={value} />,
    )}
  </>
);

/** The message above a form. */
export const Fault = ({ text }: { readonly text: string | undefined }) =>
  text === undefined ? null : (
    <p class="fault" role="alert">
      {text}
    </p>
  );
