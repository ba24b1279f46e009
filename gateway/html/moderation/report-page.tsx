import type { Answer } from '../../http/route.js';
import type { AdminAccount } from '../../pages/account/admin.js';
import type { AdminReportNote } from '../../pages/report/notes.js';
import type { AdminReport } from '../../pages/report/report.js';
import type { Status } from '../../pages/status/status.js';
import { Author, personPath } from '../parts/person.js';
import { PostContent, postPath } from '../parts/post.js';
import { Time } from '../parts/time.js';
import type { Site } from '../site.js';
import { DecisionForm, type TypedAction } from './actions.js';
import { Buttons, moderationAnswer, type Staff } from './frame.js';
import { Notes } from './notes.js';
import { categoryText, ReportRows } from './reports-page.js';

/** Everything that the page of a report shows. */
export interface ReportFacts {
  readonly report: AdminReport;
  readonly notes: readonly AdminReportNote[];
  /** Other reports about the same account, newest first. */
  readonly others: readonly AdminReport[];
  readonly isDone: boolean;
  readonly typed: { readonly action: TypedAction; readonly note: string };
  readonly fault?: { readonly form: 'action' | 'note'; readonly text: string };
}

/** Renders a report with its context, and what a moderator can do about it. */
export function reportPage(site: Site, reader: Staff, facts: ReportFacts): Answer {
  const { report, notes, others, isDone, typed, fault } = facts;
  const texts = reader.texts.moderation;
  const { target_account: target, statuses } = report;
  const path = `/moderation/reports/${report.id}`;
  const faultOf = (form: 'action' | 'note') => (fault?.form === form ? fault.text : undefined);
  const content = (
    <>
      <Summary report={report} reader={reader} />
      <Buttons reader={reader} path={path} buttons={buttonsFor(report, texts)} />
      <h2>{texts.posts}</h2>
      <DecisionForm
        reader={reader}
        path={`${path}/decision`}
        typed={typed.action}
        isLocal={target.domain === null}
        fault={faultOf('action')}
      >
        {statuses.length === 0 ? (
          <p>{texts.noPosts}</p>
        ) : (
          statuses.map((status) => (
            <ReportedPost
              key={status.id}
              status={status}
              reader={reader}
              isChosen={typed.action.statusIds.includes(status.id)}
            />
          ))
        )}
      </DecisionForm>
      <Notes notes={notes} reader={reader} path={path} typed={typed.note} fault={faultOf('note')} />
      <h2>{texts.otherReports}</h2>
      <ReportRows reports={others} reader={reader} />
    </>
  );
  const title = texts.reportOn(`@${target.account.acct}`);
  return moderationAnswer(site, reader, { title, path: '/moderation/reports', isDone, fault: fault?.text }, content);
}

function buttonsFor({ action_taken: isResolved, assigned_account: assigned }: AdminReport, texts: ButtonTexts) {
  if (isResolved) return [['reopen', texts.reopen, 'plain']] as const;
  const assignment = assigned === null ? (['assign', texts.assign, 'plain'] as const) : undefined;
  return [assignment ?? (['unassign', texts.unassign, 'plain'] as const), ['resolve', texts.resolve]] as const;
}
type ButtonTexts = Staff['texts']['moderation'];

function Summary({ report, reader }: { readonly report: AdminReport; readonly reader: Staff }) {
  const texts = reader.texts.moderation;
  const { account, target_account: target, assigned_account: assigned, rules } = report;
  return (
    <section class="card">
      <p class="group">
        <span class="mark">{categoryText(texts, report.category)}</span>
        <span class="mark">{report.action_taken ? texts.resolved : texts.open}</span>
        <Time iso={report.created_at} language={reader.language} />
      </p>
      <div class="person">
        <Author account={target.account} />
      </div>
      <Standing account={target} reader={reader} />
      {report.comment !== '' && <blockquote>{report.comment}</blockquote>}
      {rules.length > 0 && <p>{`${texts.rules}: ${rules.map(({ text }) => text).join(', ')}`}</p>}
      <p class="soft">
        {texts.by} <a href={personPath(account.account)}>@{account.account.acct}</a>
        {assigned !== null && ` · ${texts.assigned} @${assigned.account.acct}`}
        {report.forwarded && ` · ${texts.forwarded}`}
      </p>
    </section>
  );
}

/** States of an account that differ from the usual one. */
export function Standing({ account, reader }: { readonly account: AdminAccount; readonly reader: Staff }) {
  const { states } = reader.texts.moderation;
  const found = (['suspended', 'silenced', 'sensitized', 'disabled'] as const).filter((state) => account[state]);
  const waits = account.domain === null ? [...pending('approved'), ...pending('confirmed')] : [];
  function pending(state: 'approved' | 'confirmed') {
    return account[state] ? [] : [states[`not_${state}`]];
  }
  const memorial = account.account.memorial === true ? [states.memorial] : [];
  return (
    <p class="group">
      {[...found.map((state) => states[state]), ...memorial, ...waits].map((text) => (
        <span key={text} class="mark danger">
          {text}
        </span>
      ))}
      {account.role.name !== '' && <span class="mark">{account.role.name}</span>}
    </p>
  );
}

function ReportedPost(props: { readonly status: Status; readonly reader: Staff; readonly isChosen: boolean }) {
  const { status, reader, isChosen } = props;
  const { texts, language } = reader;
  return (
    <section class="quoted post">
      <label class="check">
        <input type="checkbox" name="status_ids[]" value={status.id} checked={isChosen} />
        <span>
          {texts.moderation.choosePost} <Time iso={status.created_at} language={language} />
        </span>
      </label>
      {status.spoiler_text !== '' && <p>{status.spoiler_text}</p>}
      <PostContent status={status} texts={texts} language={language} />
      <p>
        <a href={postPath(status)}>{texts.moderation.seePost}</a>
      </p>
    </section>
  );
}
