import type { ComponentChildren } from 'preact';
import { isPermitted, type Permission } from '../../../actors/domain/permissions.js';
import type { Answer } from '../../http/route.js';
import { htmlAnswer } from '../page.js';
import { Csrf } from '../parts/form.js';
import type { Reader, Site } from '../site.js';
import type { Texts } from '../texts/index.js';

/** A moderator who reads a page. */
export type Staff = Reader & { readonly person: NonNullable<Reader['person']> };

/** Pages of moderation with the permission that each one needs. */
const PAGES = [
  ['/moderation/reports', 'reports', 'manage_reports'],
  ['/moderation/accounts', 'accounts', 'manage_users'],
  ['/moderation/audit', 'audit', 'view_audit_log'],
  ['/moderation/roles', 'roles', 'manage_roles'],
] as const satisfies readonly (readonly [string, keyof Texts['moderation'], Permission])[];

/** Facts about one page of moderation. */
export interface ModerationView {
  readonly title: string;
  /** Path of the page in the navigation to which it belongs. */
  readonly path: (typeof PAGES)[number][0];
  /** An action was just carried out. */
  readonly isDone?: boolean;
  /** Message about what was typed, if it was refused. */
  readonly fault?: string | undefined;
}

/** Renders a page of moderation with the navigation between those that the role may see. */
export function moderationAnswer(site: Site, reader: Staff, view: ModerationView, content: ComponentChildren): Answer {
  const { moderation } = reader.texts;
  const { title, path: own, isDone = false, fault } = view;
  const body = (
    <>
      <h1>{title}</h1>
      <nav class="tabs wrapped" aria-label={reader.texts.shell.moderation}>
        {PAGES.filter(([, , permission]) => isPermitted(reader.person.role, permission)).map(([path, text]) => (
          <a key={path} href={path} aria-current={path === own ? 'page' : undefined}>
            {moderation[text]}
          </a>
        ))}
      </nav>
      {isDone && (
        <p class="done" role="status">
          {moderation.done}
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
