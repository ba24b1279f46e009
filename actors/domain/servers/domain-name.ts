/** Longest domain name. Source: RFC 1035 §2.3.4, without the last dot. */
export const DOMAIN_CHARS_MAX = 253;

const label = /^[\p{L}\p{N}_](?:[\p{L}\p{N}\p{M}_-]{0,62})?$/u;

/**
 * Returns a domain as account records store it: lower case, in ASCII, without a final dot; undefined for invalid names.
 */
export function domainName(text: string): string | undefined {
  const named = text
    .trim()
    .toLowerCase()
    .replace(/^(?:https?:\/\/|@)/, '')
    .replace(/[/.]$/, '');
  const [host = '', port, ...rest] = named.split(':');
  const isNamed = host.length <= DOMAIN_CHARS_MAX && host.split('.').every((part) => label.test(part));
  if (!isNamed || rest.length > 0 || (port !== undefined && !/^[0-9]{1,5}$/.test(port))) return undefined;
  const ascii = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
  if (ascii === '' || ascii.length > DOMAIN_CHARS_MAX) return undefined;
  return port === undefined ? ascii : `${ascii}:${port}`;
}
