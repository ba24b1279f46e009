/** Longest pause that a server may ask for: half of the usual time to live of a push message. */
const RETRY_AFTER_MS_MAX = 86_400_000;

/**
 * Reads the header Retry-After, seconds or an HTTP date (RFC 9110 §10.2.3); undefined for anything else. Between 0 and
 * the maximum.
 */
export function retryAfterMs(text: string | undefined, nowMs: number): number | undefined {
  const trimmed = (text ?? '').trim();
  if (!/^\d+$|GMT$/.test(trimmed)) return undefined;
  const ms = trimmed.endsWith('GMT') ? Date.parse(trimmed) - nowMs : Number(trimmed) * 1_000;
  return Number.isNaN(ms) ? undefined : Math.min(RETRY_AFTER_MS_MAX, Math.max(0, ms));
}
