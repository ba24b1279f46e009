import type { EmojiLookup } from './custom-emoji.js';

/** Static settings of the instance, from its configuration. */
export interface InstanceSettings {
  /** Address without a trailing slash. */
  readonly baseUrl: string;
  /** Part after the @ in local addresses. */
  readonly domain: string;
  /** wss:// or ws:// address of streaming, without a trailing slash. */
  readonly streamingUrl: string;
  /** Present only if STREAMING_BASE_URL is set. */
  readonly streamingRedirect: string | undefined;
  readonly registrations: 'open' | 'approval' | 'closed';
  /** People who may invite others. */
  readonly invites: 'everyone' | 'staff';
  readonly passwordGrant: boolean;
  /** True shows pages for development; only on a localhost address (DEV_PAGES=on). */
  readonly devPages: boolean;
  /** True: only signed requests get documents of local people (AUTHORIZED_FETCH=on). */
  readonly authorizedFetch: boolean;
  /** False disables all limits (RATE_LIMITS=off). */
  readonly rateLimits: boolean;
  /** Rules that differ from the defaults, as JSON (gateway/http/limits/rate-rules.ts). */
  readonly rateRules?: string;
  readonly version: string;
  /** True: texts are compressed for clients that accept it (COMPRESSION=on). */
  readonly compression: boolean;
  /** Current custom emoji; absent: none. */
  readonly emojis?: EmojiLookup;
}
