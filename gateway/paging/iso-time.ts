/** Returns a time in ISO 8601, in UTC with milliseconds, as the REST API writes times. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Returns the day alone, `2026-11-21`. */
export function isoDay(ms: number): string {
  return isoTime(ms).slice(0, 10);
}
