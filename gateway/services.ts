import type { AccountCommands } from '../actors/account/commands.js';
import type { ConversationCommands } from '../actors/conversation/commands.js';
import type { Problem } from '../actors/domain/problem.js';
import type { Clock, Random } from '../actors/domain/time.js';
import type { InstanceCommands } from '../actors/instance/commands.js';
import type { ReportCommands } from '../actors/report/kind.js';
import type { TypedAnswerNow, TypedAsk } from '../actors/runtime/kind.js';
import type { PublicRing } from '../actors/timelines/public-ring.js';
import type { Workshop } from '../media/workshop.js';
import type { MediaStore } from '../store/media.js';
import type { ReadTables } from '../store/port.js';
import type { StatusPages } from './cards/status-pages.js';
import type { LatestRows } from './discovery/latest-rows.js';
import type { TagHistories } from './discovery/tag-histories.js';
import type { Trends } from './discovery/trends.js';
import type { WordLists } from './discovery/word-lists.js';
import type { EmojiLookup } from './entities/custom-emoji.js';
import type { LimitedAccounts } from './instance/account-limits.js';
import type { InstanceEntries } from './instance/entries.js';
import type { Lenses } from './lenses.js';
import type { Soon } from './soon.js';

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

/** Everything a route handler may use. */
export interface Services {
  readonly instance: InstanceSettings;
  readonly askAccount: TypedAsk<AccountCommands>;
  /** What an account says at once to a query, if it can. */
  readonly accountNow: TypedAnswerNow<AccountCommands>;
  readonly askConversation: TypedAsk<ConversationCommands>;
  /** Viewers' relations, as of now. */
  readonly lenses: Lenses;
  /** The newest public statuses' ids. */
  readonly publicRing: Pick<PublicRing, 'read'>;
  /** Statuses as bytes of JSON. */
  readonly pages: StatusPages;
  readonly tagHistories: Pick<TagHistories, 'of'>;
  readonly latestRows: Pick<LatestRows, 'of'>;
  readonly wordLists: Pick<WordLists, 'of'>;
  readonly trends: Pick<Trends, 'tags' | 'links' | 'statuses' | 'authors'>;
  readonly tables: ReadTables;
  /** What the instance's people have set. */
  readonly entries: InstanceEntries;
  /** Whom moderators have limited. */
  readonly limits: LimitedAccounts;
  readonly askInstance: TypedAsk<InstanceCommands>;
  /** Uploaded files. */
  readonly media: Pick<MediaStore, 'open'>;
  /** Makes what is stored of uploads. */
  readonly workshop: Pick<Workshop, 'receive' | 'preview' | 'rectangle' | 'emoji' | 'remove'>;
  readonly askReport: TypedAsk<ReportCommands>;
  /** Claims of names and immutable rows that no actor owns (apps, application tokens): actors/registry. */
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Random;
  /** A fresh account id on a random shard. */
  newAccountId(): string;
}

/** An account's reply to a query: at once where it lives here and nothing goes on there. @throws Unavailable */
export function askSoon<K extends keyof AccountCommands & string>(
  { accountNow, askAccount }: Pick<Services, 'accountNow' | 'askAccount'>,
  account: string,
  query: K,
  input: AccountCommands[K]['in'],
): Soon<AccountCommands[K]['out'] | Problem> {
  return accountNow(account, query, input) ?? askAccount(account, query, input);
}

/** Writes of what belongs to no actor: unique names (LWT) and immutable rows. */
export interface Registry {
  /**
   * Claims names (`acct:alice`, `email:a@b.c`) for an id, all or none. Answers the first name that is taken, or
   * undefined. A claim whose account was never registered is taken over after a minute.
   */
  claim(names: readonly string[], id: string): Promise<string | undefined>;
  release(names: readonly string[], id: string): Promise<void>;
  find(name: string): Soon<string | undefined>;
  putApp(clientId: string, app: import('../proto/gen/types.js').StoreAppRecord): Promise<void>;
  putAppToken(hash: string, token: import('../proto/gen/types.js').StoreTokenRecord): Promise<void>;
  removeAppToken(hash: string): Promise<void>;
  /** Somebody was refused for the provider of their e-mail address, which `domain` blocks; `attempt` is a fresh id. */
  refusedSignUp(domain: string, attempt: string, address: string): Promise<void>;
  /** Takes it on to answer a request; else what was answered, or that somebody else is about to. */
  claimAnswer(name: string): Promise<'claimed' | 'pending' | { readonly status: number; readonly body: string }>;
  /** What was answered to the request that was taken on; without it, another may try. */
  keepAnswer(name: string, answer: { readonly status: number; readonly body: string } | undefined): Promise<void>;
}
