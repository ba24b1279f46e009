import type { MailLetter, MailPart } from '../../../proto/gen/types.js';
import { catalogueFor } from '../../domain/text/catalogue/catalogue.js';
import type { MailTexts } from '../../domain/text/catalogue/texts.js';
import type { Here } from '../../domain/text/profile-html.js';

/** The server as mails name it. */
export type Site = Here;

/** The person to whom a mail is written. */
export interface Recipient {
  readonly username: string;
  readonly locale: string;
}

/** Placeholder in an address of a letter for the token of its link. Letters with a link contain no words of users. */
export const TOKEN_PLACE = '{token}';

/** Characters that could end a line, hide text or change the direction of the text around them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed.
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;
/** Longest value of a fact: a name, an address, a browser. */
const FACT_CHARS_MAX = 200;

const cleaned = (text: string): string => text.replaceAll(/\r\n?/g, '\n').replace(UNSAFE, ' ');

/** A paragraph. */
export const text = (words: string): MailPart => ({ kind: 'text', text: words });

/** Words of a user or moderator. */
export const quote = (words: string): MailPart => ({ kind: 'quote', text: cleaned(words).trim() });

/** A value with its label, on one line. */
export const fact = (label: string, value: string): MailPart => ({
  kind: 'fact',
  label,
  text: [...cleaned(value).replaceAll('\n', ' ')].slice(0, FACT_CHARS_MAX).join(''),
});

/** A link to a page of this server. */
export const button = (label: string, url: string): MailPart => ({ kind: 'button', text: label, url });

/** Returns a letter in the language of the recipient. */
export function letter(
  { domain }: Site,
  to: Recipient,
  write: (texts: MailTexts) => { readonly subject: string; readonly parts: readonly MailPart[] },
): MailLetter {
  const { language, mail } = catalogueFor(to.locale);
  const { subject, parts } = write(mail);
  return {
    language,
    subject,
    parts: [text(mail.hello(to.username)), ...parts],
    footer: mail.footer(`@${to.username}@${domain}`),
  };
}
