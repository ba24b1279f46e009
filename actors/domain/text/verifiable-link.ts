import { segments } from './segments.js';

/**
 * The address of a page that may prove whose profile names it, when the whole value of a field is one link; undefined
 * otherwise. What could pass for another host (names, passwords, letters beyond ASCII) proves nothing.
 * Source: Mastodon Account::Field#verifiable?.
 */
export function verifiableLink(value: string): string | undefined {
  const [link, ...rest] = segments(value);
  if (link?.kind !== 'link' || rest.length > 0 || !URL.canParse(link.raw)) return undefined;
  const url = new URL(link.raw);
  if (url.username + url.password !== '' || !/^[!-~]+$/.test(url.host)) return undefined;
  const typed = /^https?:\/\/([^/?#]*)/i.exec(link.raw)?.[1]?.toLowerCase().replace(/:\d*$/, '');
  if (typed !== url.hostname) return undefined;
  url.hash = '';
  return url.href;
}
