import type { MailLetter, MailPart } from '../../../proto/gen/types.js';
import { catalogueFor } from '../../domain/text/catalogue/catalogue.js';
import type { DecisionAction, MailTexts } from '../../domain/text/catalogue/texts.js';
import { button, fact, letter, quote, type Recipient, type Site, text } from './letter.js';

/** Decisions that give something back, so that nobody appeals against them. */
const WELCOME: ReadonlySet<DecisionAction> = new Set(['approve', 'enable', 'unsilence', 'unsensitive', 'unsuspend']);
/** Decisions after which the owner can sign in as before. */
const OPENING: ReadonlySet<DecisionAction> = new Set(['approve', 'enable', 'unsuspend']);

/** A moderators' decision about the recipient's account. */
export interface Decision {
  readonly action: DecisionAction;
  /** Words of the moderator; may be empty. */
  readonly reason: string;
  /** E-mail address or page to which the owner can appeal. */
  readonly contact: string;
}

/** Returns true for actions of which the owner is notified by mail. */
export const isDecision = (action: string): action is DecisionAction =>
  Object.hasOwn(catalogueFor('en').mail.decisions, action);

export const decisionLetter = (site: Site, to: Recipient, { action, reason, contact }: Decision): MailLetter =>
  letter(site, to, ({ decisions, decision }) => {
    const parts: MailPart[] = [text(decisions[action].text)];
    if (reason.trim() !== '') parts.push(text(decision.reason), quote(reason));
    if (OPENING.has(action)) parts.push(button(decision.signIn, `${site.baseUrl}/auth/sign_in`));
    if (!WELCOME.has(action)) parts.push(text(decision.appeal(contact)));
    return { subject: decisions[action].subject, parts };
  });

/** A report, as its mail describes it. */
export interface DescribedReport {
  readonly id: string;
  readonly category: string;
  /** Address of the reported account, `@ann@here.example`, and its page. */
  readonly target: string;
  readonly targetUrl: string;
  readonly by: string;
  readonly statuses: number;
  readonly comment: string;
}

/** Goes to each account that may handle reports; it may end these mails. */
export function reportLetter(site: Site, to: Recipient, reported: DescribedReport): MailLetter {
  const written = letter(site, to, ({ report }) => {
    const parts: MailPart[] = [
      text(report.text(site.domain)),
      fact(report.target, reported.target),
      fact(report.by, reported.by),
      fact(report.category, categoryText(report, reported.category)),
      fact(report.statuses, String(reported.statuses)),
    ];
    if (reported.comment.trim() !== '') parts.push(text(report.comment), quote(reported.comment));
    parts.push(button(report.button, reported.targetUrl));
    return { subject: report.subject(reported.id), parts };
  });
  return { ...written, unsubscribe: catalogueFor(to.locale).mail.unsubscribe };
}

const categoryText = ({ categories }: MailTexts['report'], category: string): string =>
  Object.hasOwn(categories, category) ? categories[category as keyof typeof categories] : category;
