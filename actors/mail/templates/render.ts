import type { MailLetter, MailPart } from '../../../proto/gen/types.js';
import { type Html, html, nothing } from '../../domain/text/html.js';

/** A letter in the two forms of a mail. */
export interface Rendered {
  readonly text: string;
  readonly html: string;
}

/**
 * Renders a letter as plain text and as HTML. The HTML escapes each value, loads nothing from anywhere, and has its
 * styles inline, because many mail programs drop everything else.
 * @param unsubscribeUrl page that ends such mails, if the recipient may end them
 */
export function renderLetter(letter: MailLetter, unsubscribeUrl?: string): Rendered {
  return { text: asText(letter, unsubscribeUrl), html: asHtml(letter, unsubscribeUrl).html };
}

function asText({ parts, footer, unsubscribe }: MailLetter, url: string | undefined): string {
  const blocks = grouped(parts).map((group) => group.map(partAsText).join('\n'));
  const end = url === undefined ? '' : `\n${unsubscribe}: ${url}`;
  // Source of the separator: RFC 3676 §4.3.
  return `${blocks.join('\n\n')}\n\n-- \n${footer}${end}\n`;
}

function partAsText({ kind, text, label = '', url = '' }: MailPart): string {
  if (kind === 'quote') return text.replaceAll(/^/gm, '> ');
  if (kind === 'fact') return `${label}: ${text}`;
  return kind === 'button' ? `${text}:\n${url}` : text;
}

/** Returns runs of facts as one group, and every other part as its own. */
function grouped(parts: readonly MailPart[]): MailPart[][] {
  const groups: MailPart[][] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    if (part.kind === 'fact' && last?.[0]?.kind === 'fact') last.push(part);
    else groups.push([part]);
  }
  return groups;
}

const BODY = 'margin:0;padding:24px 16px;font:16px/1.5 system-ui,sans-serif;color:#1c1c1e;background:#ffffff';
const COLUMN = 'max-width:560px;margin:0 auto';
const QUOTE = 'margin:16px 0;padding:8px 16px;border-left:3px solid #8e8e93;white-space:pre-wrap;word-break:break-word';
const FACTS = 'margin:16px 0;border-collapse:collapse';
const LABEL = 'padding:2px 16px 2px 0;text-align:left;vertical-align:top;font-weight:400;color:#5f5f64';
const VALUE = 'padding:2px 0;word-break:break-word';
const LINK =
  'display:inline-block;padding:10px 20px;border-radius:6px;background:#3a4bd8;color:#ffffff;text-decoration:none';
const SMALL = 'margin-top:32px;padding-top:12px;border-top:1px solid #d1d1d6;font-size:13px;color:#5f5f64';

function asHtml({ language, subject, parts, footer, unsubscribe }: MailLetter, url: string | undefined): Html {
  const end = url === undefined ? nothing : html`<br><a href="${url}" style="color:#5f5f64">${unsubscribe ?? ''}</a>`;
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${subject}</title></head>
<body style="${BODY}"><div style="${COLUMN}">
${grouped(parts).map(groupAsHtml)}<p style="${SMALL}">${footer}${end}</p>
</div></body></html>
`;
}

function groupAsHtml(group: readonly MailPart[]): Html {
  const [{ kind, text, url } = { kind: 'text', text: '', url: '' }] = group;
  // The direction of the words of others does not reach beyond their element.
  if (kind === 'quote') return html`<blockquote dir="auto" style="${QUOTE}">${text}</blockquote>\n`;
  if (kind === 'button') return html`<p><a href="${url ?? ''}" style="${LINK}">${text}</a></p>\n`;
  if (kind !== 'fact') return html`<p>${text}</p>\n`;
  const rows = group.map(
    (one) =>
      html`<tr><th scope="row" style="${LABEL}">${one.label ?? ''}</th><td style="${VALUE}"><bdi>${one.text}</bdi></td></tr>`,
  );
  return html`<table style="${FACTS}">${rows}</table>\n`;
}
