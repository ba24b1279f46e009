import type { Language } from '../texts/index.js';

const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats are costly to make and few. */
function format(language: Language, style: 'day' | 'time'): Intl.DateTimeFormat {
  const key = `${language} ${style}`;
  let found = formats.get(key);
  if (found === undefined) {
    const options: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeZone: 'UTC' };
    found = new Intl.DateTimeFormat(language, style === 'time' ? { ...options, timeStyle: 'short' } : options);
    formats.set(key, found);
  }
  return found;
}

/** A moment in UTC. @param iso a time or a day in ISO 8601 */
export function Time({
  iso,
  language,
  day,
}: {
  readonly iso: string;
  readonly language: Language;
  readonly day?: boolean;
}) {
  return <time dateTime={iso}>{format(language, day === true ? 'day' : 'time').format(new Date(iso))}</time>;
}

export const count = (language: Language, value: number): string => value.toLocaleString(language);
