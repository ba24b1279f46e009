import { escapeHtml } from '../../../actors/domain/text/plain-text.js';
import type { CustomEmoji } from '../../settings/custom-emoji.js';
import { Raw } from './raw.js';

const SHORTCODE = /:([A-Za-z0-9_]+):/g;
const TAG = /(<[^<>]*>)/;

function pictures(text: string, emojis: readonly CustomEmoji[]): string {
  return text.replace(SHORTCODE, (whole, code: string) => {
    const emoji = emojis.find(({ shortcode }) => shortcode === code);
    if (emoji === undefined) return whole;
    return `<img class="emoji" src="${escapeHtml(emoji.url)}" alt="${whole}" title="${whole}" width="20" height="20" loading="lazy">`;
  });
}

/** Replaces shortcodes in the text of sanitised HTML by pictures; tags and attributes stay as they are. */
export function withEmoji(html: string, emojis: readonly CustomEmoji[]): string {
  if (emojis.length === 0) return html;
  return html
    .split(TAG)
    .map((part) => (part.startsWith('<') ? part : pictures(part, emojis)))
    .join('');
}

/** A name in isolation from the direction of the text around it, with its custom emoji. */
export function Name({ text, emojis }: { readonly text: string; readonly emojis: readonly CustomEmoji[] }) {
  if (emojis.length === 0) return <bdi>{text}</bdi>;
  return (
    <bdi>
      <Raw as="span" html={pictures(escapeHtml(text), emojis)} />
    </bdi>
  );
}
