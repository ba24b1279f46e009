import type { ConversationCommands } from '../../actors/conversation/commands.js';
import type { KeyedTokens } from '../../actors/domain/keyed-tokens.js';
import type { Random } from '../../actors/domain/time.js';
import type { InstanceCommands } from '../../actors/instance/commands.js';
import type { ReportCommands } from '../../actors/kinds/report.js';
import type { TypedAsk } from '../../actors/runtime/kind.js';
import type { Workshop } from '../../media/workshop.js';
import type { MediaStore } from '../../store/media.js';
import type { AddressGuard } from '../../transport/address-guard.js';
import type { LatestRows } from '../discovery/latest-rows.js';
import type { TagHistories } from '../discovery/tag-histories.js';
import type { Trends } from '../discovery/trends.js';
import type { WordLists } from '../discovery/word-lists.js';
import type { StatusPages } from '../pages/status-pages.js';
import type { Soon } from '../paging/soon.js';
import type { InstanceEntries } from '../settings/entries.js';
import type { ReadServices } from '../viewing/read-services.js';

/** Everything a route handler may use. */
export interface Services extends ReadServices {
  readonly askConversation: TypedAsk<ConversationCommands>;
  /** Statuses as bytes of JSON. */
  readonly pages: StatusPages;
  readonly tagHistories: Pick<TagHistories, 'of'>;
  readonly latestRows: Pick<LatestRows, 'of'>;
  readonly wordLists: Pick<WordLists, 'of'>;
  readonly trends: Pick<Trends, 'tags' | 'links' | 'statuses' | 'authors'>;
  /** What the instance's people have set. */
  readonly entries: InstanceEntries;
  readonly askInstance: TypedAsk<InstanceCommands>;
  /** Uploaded files. */
  readonly media: Pick<MediaStore, 'open'>;
  /** Makes what is stored of uploads. */
  readonly workshop: Pick<Workshop, 'receive' | 'preview' | 'rectangle' | 'emoji' | 'remove'>;
  readonly askReport: TypedAsk<ReportCommands>;
  /** Claims of names and immutable rows that no actor owns (apps, application tokens): actors/registry. */
  readonly registry: Registry;
  readonly random: Random;
  readonly keyedTokens: KeyedTokens;
  /** Where this server may connect to for people. */
  readonly addressGuard: AddressGuard;
  /** A fresh id for an account, minted by the owner of its shard: no other node can give the same. @throws Unavailable */
  newAccountId(): Promise<string>;
  /** A fresh id for what no actor owns. Two nodes give the same with a chance of one in 65,536 within a millisecond. */
  newPlainId(): string;
}

/** Writes of what belongs to no actor: unique names (LWT) and immutable rows. */
export interface Registry {
  /**
   * Claims names (`acct:alice`, `email:a@b.c`) for an id, all or none. Answers the first name that is taken, or
   * undefined. A claim to which no account came is taken over by who asks again a minute later.
   */
  claim(names: readonly string[], id: string): Promise<string | undefined>;
  /**
   * Makes claims final, once the account that has them is durable. Answers the first that belongs to another id by now, so
   * that the account must end.
   */
  confirm(names: readonly string[], id: string): Promise<string | undefined>;
  release(names: readonly string[], id: string): Promise<void>;
  /** Gives back claims to which no account came. */
  withdraw(names: readonly string[], id: string): Promise<void>;
  /** True when a claim by this id would fail now. */
  isTaken(name: string, id: string): Promise<boolean>;
  find(name: string): Soon<string | undefined>;
  putApp(clientId: string, app: import('../../proto/gen/types.js').StoreAppRecord): Promise<void>;
  putAppToken(hash: string, token: import('../../proto/gen/types.js').StoreTokenRecord): Promise<void>;
  removeAppToken(hash: string, token: import('../../proto/gen/types.js').StoreTokenRecord): Promise<void>;
  /** Somebody was refused for the provider of their e-mail address, which `domain` blocks; `attempt` is a fresh id. */
  refusedSignUp(domain: string, attempt: string, address: string): Promise<void>;
  /**
   * Takes it on to answer a request, and what that makes has `newId`, or the id of who tried first; else what was
   * answered, or that somebody else is about to.
   */
  claimAnswer(
    name: string,
    newId: string,
  ): Promise<{ readonly newId: string } | 'pending' | { readonly status: number; readonly body: string }>;
  /** What was answered to the request that was taken on; without it, another may try under the same id. */
  keepAnswer(name: string, answer: { readonly status: number; readonly body: string } | undefined): Promise<void>;
}
