import { segments } from './segments.js';

/**
 * Returns the address of a page that may link back to a profile, if the whole value of a field is one link; otherwise
 * undefined. Addresses that could pass for another host (user names, passwords, letters beyond ASCII) are refused.
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
