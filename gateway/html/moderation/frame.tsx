import type { ComponentChildren } from 'preact';
import { isPermitted, type Permission } from '../../../actors/domain/permissions.js';
import type { Answer } from '../../http/route.js';
import { htmlAnswer } from '../page.js';
import { Csrf } from '../parts/form.js';
import type { Reader, Site } from '../site.js';
import type { Texts } from '../texts/index.js';

/** A moderator who reads a page. */
export type Staff = Reader & { readonly person: NonNullable<Reader['person']> };

type Names = (texts: Texts['moderation']) => string;

/** Pages of moderation with the permission that each one needs. */
const PAGES = [
  ['/moderation/reports', ({ reports }) => reports, 'manage_reports'],
  ['/moderation/accounts', ({ accounts }) => accounts, 'manage_users'],
  ['/moderation/domain_blocks', ({ entries }) => entries.collections.domain_blocks.title, 'manage_federation'],
  ['/moderation/domain_allows', ({ entries }) => entries.collections.domain_allows.title, 'manage_federation'],
  ['/moderation/email_domain_blocks', ({ entries }) => entries.collections.email_domain_blocks.title, 'manage_blocks'],
  [
    '/moderation/canonical_email_blocks',
    ({ entries }) => entries.collections.canonical_email_blocks.title,
    'manage_blocks',
  ],
  ['/moderation/ip_blocks', ({ entries }) => entries.collections.ip_blocks.title, 'manage_blocks'],
  ['/moderation/rules', ({ entries }) => entries.collections.rules.title, 'manage_rules'],
  ['/moderation/announcements', ({ entries }) => entries.collections.announcements.title, 'manage_announcements'],
  ['/moderation/custom_emojis', ({ entries }) => entries.collections.custom_emojis.title, 'manage_custom_emojis'],
  ['/moderation/trends', ({ entries }) => entries.trends.title, 'manage_taxonomies'],
  ['/moderation/audit', ({ audit }) => audit, 'view_audit_log'],
  ['/moderation/roles', ({ roles }) => roles, 'manage_roles'],
] as const satisfies readonly (readonly [string, Names, Permission])[];

/** Facts about one page of moderation. */
export interface ModerationView {
  readonly title: string;
  /** Path of the page in the navigation to which it belongs. */
  readonly path: (typeof PAGES)[number][0];
  /** An action was just carried out. */
  readonly isDone?: boolean;
  /** Message about that action; absent: a general one. */
  readonly done?: string | undefined;
  /** Message about what was typed, if it was refused. */
  readonly fault?: string | undefined;
}

/** Returns true if the role of the reader may open a page of moderation. */
export const mayOpen = ({ person }: Reader, path: ModerationView['path']): boolean =>
  person !== undefined && PAGES.some(([one, , permission]) => one === path && isPermitted(person.role, permission));

/** Renders a page of moderation with the navigation between those that the role may see. */
export function moderationAnswer(site: Site, reader: Staff, view: ModerationView, content: ComponentChildren): Answer {
  const { moderation } = reader.texts;
  const { title, path: own, isDone = false, done = isDone ? moderation.done : undefined, fault } = view;
  const body = (
    <>
      <h1>{title}</h1>
      <nav class="tabs wrapped" aria-label={reader.texts.shell.moderation}>
        {PAGES.filter(([, , permission]) => isPermitted(reader.person.role, permission)).map(([path, name]) => (
          <a key={path} href={path} aria-current={path === own ? 'page' : undefined}>
            {name(moderation)}
          </a>
        ))}
        {isPermitted(reader.person.role, 'view_devops') && <a href="/cluster">{reader.texts.cluster.title}</a>}
      </nav>
      {done !== undefined && (
        <p class="done" role="status">
          {done}
        </p>
      )}
      {content}
    </>
  );
  const status = fault === undefined ? 200 : 422;
  return htmlAnswer(site, reader, { title, isUnlisted: true, status, width: 'wide' }, body);
}

/** A form of buttons that need no other field. */
export function Buttons(props: {
  readonly reader: Staff;
  readonly path: string;
  readonly name?: string;
  /** Value, text and look of each button. */
  readonly buttons: readonly (readonly [value: string, text: string, look?: string])[];
}) {
  const { reader, path, name = 'action', buttons } = props;
  return (
    <form class="actions" method="post" action={path}>
      <Csrf reader={reader} />
      {buttons.map(([value, text, look]) => (
        <button key={value} type="submit" name={name} value={value} class={look}>
          {text}
        </button>
      ))}
    </form>
  );
}
