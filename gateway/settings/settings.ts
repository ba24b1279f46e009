import type { EmojiLookup } from '../entities/instance/custom-emoji.js';

/** What the instance says of itself; from the settings. */
export interface InstanceSettings {
  /** No trailing slash. */
  readonly baseUrl: string;
  /** What stands after @ in local addresses. */
  readonly domain: string;
  /** wss:// or ws:// address of streaming, no trailing slash. */
  readonly streamingUrl: string;
  /** Set only when STREAMING_BASE_URL is. */
  readonly streamingRedirect: string | undefined;
  readonly registrations: 'open' | 'approval' | 'closed';
  readonly passwordGrant: boolean;
  /** False: nobody is slowed down (RATE_LIMITS=off). */
  readonly rateLimits: boolean;
  /** Rules other than the usual ones, as JSON (gateway/http/rate-rules.ts). */
  readonly rateRules?: string;
  readonly version: string;
  /** Custom emoji as of now; absent: none. */
  readonly emojis?: EmojiLookup;
}
