import { isPermitted } from '../../../actors/domain/permissions.js';
import type { Answer } from '../../http/route.js';
import type { AdminAccount } from '../../pages/account/admin.js';
import type { AdminReport } from '../../pages/report/report.js';
import { Author } from '../parts/person.js';
import { Time } from '../parts/time.js';
import type { Site } from '../site.js';
import { DecisionForm, type TypedAction } from './actions.js';
import { Buttons, moderationAnswer, type Staff } from './frame.js';
import { Standing } from './report-page.js';
import { ReportRows } from './reports-page.js';

/** Everything that the page of an account shows. */
interface AccountFacts {
  readonly account: AdminAccount;
  /** Reports about it, newest first. */
  readonly reports: readonly AdminReport[];
  readonly typed: TypedAction;
  readonly isDone: boolean;
  /** Message about a refused decision. */
  readonly fault: string | undefined;
}

/** Renders an account for moderators, with all that they can decide about it. */
export function accountPage(site: Site, reader: Staff, facts: AccountFacts): Answer {
  const { account, reports, typed, isDone, fault } = facts;
  const texts = reader.texts.moderation;
  const path = `/moderation/accounts/${account.id}`;
  const buttons = buttonsFor(account, reader);
  const content = (
    <>
      <Facts account={account} reader={reader} />
      {buttons.length > 0 && <Buttons reader={reader} path={path} buttons={buttons} />}
      <h2>{texts.decision}</h2>
      <DecisionForm
        reader={reader}
        path={`${path}/decision`}
        typed={typed}
        isLocal={account.domain === null}
        fault={fault}
      />
      <h2>{texts.reports}</h2>
      <ReportRows reports={reports} reader={reader} />
    </>
  );
  const title = `@${account.account.acct}`;
  return moderationAnswer(site, reader, { title, path: '/moderation/accounts', isDone, fault }, content);
}

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
