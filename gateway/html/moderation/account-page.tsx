import { isPermitted, rankOf } from '../../../actors/domain/permissions.js';
import type { Answer } from '../../http/route.js';
import type { AdminAccount } from '../../pages/account/admin.js';
import type { AdminAccountNote } from '../../pages/report/notes.js';
import type { AdminReport } from '../../pages/report/report.js';
import { Csrf } from '../parts/form.js';
import { Author } from '../parts/person.js';
import { Time } from '../parts/time.js';
import type { Site } from '../site.js';
import { DecisionForm, type TypedAction } from './actions.js';
import { Buttons, moderationAnswer, type Staff } from './frame.js';
import { Notes } from './notes.js';
import { Standing } from './report-page.js';
import { ReportRows } from './reports-page.js';

/** Everything that the page of an account shows. */
export interface AccountFacts {
  readonly account: AdminAccount;
  /** Reports about it, newest first. */
  readonly reports: readonly AdminReport[];
  /** Notes about it, oldest first. */
  readonly notes: readonly AdminAccountNote[];
  readonly typed: { readonly action: TypedAction; readonly note: string };
  readonly isDone: boolean;
  readonly fault?: { readonly form: 'action' | 'note'; readonly text: string };
}

/** Renders an account for moderators, with all that they can decide about it. */
export function accountPage(site: Site, reader: Staff, facts: AccountFacts): Answer {
  const { account, reports, notes, typed, isDone, fault } = facts;
  const texts = reader.texts.moderation;
  const path = `/moderation/accounts/${account.id}`;
  const buttons = buttonsFor(account, reader);
  const faultOf = (form: 'action' | 'note') => (fault?.form === form ? fault.text : undefined);
  const content = (
    <>
      <Facts account={account} reader={reader} />
      {buttons.length > 0 && <Buttons reader={reader} path={path} buttons={buttons} />}
      <h2>{texts.decision}</h2>
      <DecisionForm
        reader={reader}
        path={`${path}/decision`}
        typed={typed.action}
        isLocal={account.domain === null}
        fault={faultOf('action')}
      />
      <Notes
        notes={notes}
        reader={reader}
        path={path}
        typed={typed.note}
        fault={faultOf('note')}
        acts={(note) =>
          mayRemove(note, reader) && (
            <form class="actions" method="post" action={`${path}/notes/${note.id}/delete`}>
              <Csrf reader={reader} />
              <button type="submit" class="plain">
                {texts.removeNote}
              </button>
            </form>
          )
        }
      />
      <h2>{texts.reports}</h2>
      <ReportRows reports={reports} reader={reader} />
    </>
  );
  const title = `@${account.account.acct}`;
  return moderationAnswer(site, reader, { title, path: '/moderation/accounts', isDone, fault: fault?.text }, content);
}

/** True if the reader wrote the note, or may have a higher role than its author, which the API decides. */
const mayRemove = ({ account }: AdminAccountNote, { person }: Staff): boolean =>
  account?.acct === person.username || rankOf(person.role) > rankOf('moderator');

/** Returns the acts that change something about an account of this standing, and that the role may do. */
function buttonsFor(account: AdminAccount, { texts: { moderation }, person }: Staff) {
  const isWaiting = account.domain === null && !account.approved;
  const mayEnd = isPermitted(person.role, 'delete_user_data');
  const isMemorial = account.account.memorial === true;
  const shown = [
    isWaiting && (['approve', ''] as const),
    isWaiting && (['reject', 'danger'] as const),
    account.disabled && (['enable', 'plain'] as const),
    account.silenced && (['unsilence', 'plain'] as const),
    account.sensitized && (['unsensitive', 'plain'] as const),
    account.suspended && (['unsuspend', 'plain'] as const),
    account.suspended && mayEnd && (['delete', 'danger'] as const),
    account.domain === null && mayEnd && ([isMemorial ? 'unmemorialize' : 'memorialize', 'plain'] as const),
  ];
  return shown.flatMap((one) => (one === false ? [] : [[one[0], moderation.acts[one[0]], one[1]] as const]));
}

function Facts({ account, reader }: { readonly account: AdminAccount; readonly reader: Staff }) {
  const texts = reader.texts.moderation;
  const { email, email_problem: undelivered, ip, locale, invite_request: reason, role } = account;
  const facts: readonly (readonly [label: string, text: string])[] = [
    [texts.search.email, email],
    [texts.search.ip, ip ?? ''],
    [texts.locale, locale],
    [texts.role, role.name],
    [texts.undelivered, undelivered?.reason ?? ''],
    [texts.reason, reason ?? ''],
  ];
  return (
    <section class="card">
      <div class="person">
        <Author account={account.account} />
      </div>
      <Standing account={account} reader={reader} />
      {facts.map(([label, text]) => text !== '' && <p key={label}>{`${label}: ${text}`}</p>)}
      <p class="soft">
        {texts.since} <Time iso={account.created_at} language={reader.language} />
      </p>
    </section>
  );
}
