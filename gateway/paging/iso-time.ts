/** ISO 8601 in UTC with milliseconds, as the REST API writes times. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** The day alone, `2026-11-21`. */
export function isoDay(ms: number): string {
  return isoTime(ms).slice(0, 10);
}
