import type { Answer } from '../../http/route.js';
import { htmlAnswer } from '../page.js';
import { plainText } from '../plain-text.js';
import type { Reader, Site } from '../site.js';

interface Someone {
  readonly account: { readonly acct: string };
}

/** A report, as far as the page shows the entity of the API. */
export interface ShownReport {
  readonly id: string;
  readonly action_taken: boolean;
  readonly category: string;
  readonly comment: string;
  readonly account: Someone;
  readonly target_account: Someone;
  readonly assigned_account: Someone | null;
  readonly statuses: readonly { readonly id: string; readonly url: string | null; readonly content: string }[];
  readonly rules: readonly { readonly id: string; readonly text: string }[];
}

type Staff = Reader & { readonly person: NonNullable<Reader['person']> };

/** Renders open or resolved reports, each with its posts and what a moderator can do with it. */
export function reportsPage(site: Site, reader: Staff, reports: readonly ShownReport[], isResolved: boolean): Answer {
  const texts = reader.texts.moderation;
  const body = (
    <>
      <h1>{texts.reports}</h1>
      <p>
        <a href="/moderation/reports" aria-current={isResolved ? undefined : 'page'}>
          {texts.open}
        </a>{' '}
        <a href="/moderation/reports?resolved=true" aria-current={isResolved ? 'page' : undefined}>
          {texts.resolved}
        </a>
      </p>
      {reports.length === 0 && <p>{texts.none}</p>}
      {reports.map((report) => (
        <OneReport key={report.id} report={report} reader={reader} />
      ))}
    </>
  );
  return htmlAnswer(site, reader, { title: texts.reports, isUnlisted: true }, body);
}

function OneReport({ report, reader }: { readonly report: ShownReport; readonly reader: Staff }) {
  const texts = reader.texts.moderation;
  const { account, target_account: target, assigned_account: assigned, statuses, rules } = report;
  return (
    <section class="card">
      <h2>
        <a href={`/@${target.account.acct}`}>@{target.account.acct}</a> <span class="mark">{report.category}</span>
      </h2>
      <p class="soft">
        {texts.by} <a href={`/@${account.account.acct}`}>@{account.account.acct}</a>
        {assigned !== null && ` · ${texts.assigned} @${assigned.account.acct}`}
      </p>
      {report.comment !== '' && <p>{report.comment}</p>}
      {rules.length > 0 && <p>{`${texts.rules}: ${rules.map(({ text }) => text).join(', ')}`}</p>}
      {statuses.length > 0 && <h3>{texts.posts}</h3>}
      {statuses.map(({ id, url, content }) => (
        <blockquote key={id}>
          {plainText(content)} {url !== null && <a href={url}>{url}</a>}
        </blockquote>
      ))}
      <form method="post" action={`/moderation/reports/${report.id}`}>
        <input type="hidden" name="csrf" value={reader.person.csrf} />
        {actionsOn(report).map((action) => (
          <>
            <button type="submit" name="action" value={action}>
              {texts[action]}
            </button>{' '}
          </>
        ))}
      </form>
    </section>
  );
}

const actionsOn = ({ action_taken: isResolved, assigned_account: assigned }: ShownReport) =>
  isResolved ? (['reopen'] as const) : ([assigned === null ? 'assign' : 'unassign', 'resolve'] as const);
