import type { Answer } from '../../http/route.js';
import type { AdminReport } from '../../pages/report/report.js';
import { Pager } from '../parts/pager.js';
import { Time } from '../parts/time.js';
import type { Site } from '../site.js';
import { moderationAnswer, type Staff } from './frame.js';

/** A page of reports. */
export interface ReportList {
  readonly reports: readonly AdminReport[];
  readonly isResolved: boolean;
  readonly newer: string | undefined;
  readonly older: string | undefined;
}

/** Characters of a comment in lists. */
const EXCERPT_CHARS = 200;

/** Renders open or resolved reports, each with a link to its page. */
export function reportsPage(site: Site, reader: Staff, { reports, isResolved, ...links }: ReportList): Answer {
  const texts = reader.texts.moderation;
  const content = (
    <>
      <p class="actions">
        <a href="/moderation/reports" aria-current={isResolved ? undefined : 'page'}>
          {texts.open}
        </a>
        <a href="/moderation/reports?resolved=true" aria-current={isResolved ? 'page' : undefined}>
          {texts.resolved}
        </a>
      </p>
      <ReportRows reports={reports} reader={reader} />
      <Pager {...links} texts={reader.texts} />
    </>
  );
  return moderationAnswer(site, reader, { title: texts.reports, path: '/moderation/reports' }, content);
}

/** Returns the name of a category. */
export const categoryText = ({ categories }: Staff['texts']['moderation'], category: string): string =>
  Object.hasOwn(categories, category) ? categories[category as keyof typeof categories] : category;

/** A list of reports. */
export function ReportRows({ reports, reader }: { readonly reports: readonly AdminReport[]; readonly reader: Staff }) {
  const texts = reader.texts.moderation;
  if (reports.length === 0) return <p>{texts.none}</p>;
  return (
    <ul class="rows">
      {reports.map((report) => {
        const { account, target_account: target, assigned_account: assigned, statuses } = report;
        return (
          <li key={report.id}>
            <p class="group">
              <a href={`/moderation/reports/${report.id}`}>{texts.reportOn(`@${target.account.acct}`)}</a>
              <span class="mark">{categoryText(texts, report.category)}</span>
              {report.action_taken && <span class="mark">{texts.resolved}</span>}
            </p>
            {report.comment !== '' && <p>{report.comment.slice(0, EXCERPT_CHARS)}</p>}
            <p class="next">
              {texts.by} @{account.account.acct} · <Time iso={report.created_at} language={reader.language} /> ·{' '}
              {texts.postCount(statuses.length)}
              {assigned !== null && ` · ${texts.assigned} @${assigned.account.acct}`}
            </p>
          </li>
        );
      })}
    </ul>
  );
}
