import type { Commands as ArchiveCommands } from '../../actors/archive/archive.js';
import type { ConversationCommands } from '../../actors/conversation/slices.js';
import type { KeyedTokens } from '../../actors/domain/keyed-tokens.js';
import type { Problem } from '../../actors/domain/problem.js';
import type { Random } from '../../actors/domain/time.js';
import type { RemoteNotes, RemotePeople, RemoteProfiles, RemoteThreads } from '../../actors/federation/remote/port.js';
import type { Commands as ImportCommands } from '../../actors/imports/imports.js';
import type { InstanceCommands } from '../../actors/instance/commands.js';
import type { Commands as ReportCommands } from '../../actors/report/report.js';
import type { TypedAsk } from '../../actors/runtime/kind.js';
import type { Workshop } from '../../media/workshop.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import type { Caches } from '../../store/cache/cache.js';
import type { MediaStore, StoredFile } from '../../store/media.js';
import type { AddressGuard } from '../../transport/address-guard.js';
import type { FederationClient } from '../../transport/federation/port.js';
import type { SignedRequest } from '../../transport/federation/signed-request.js';
import type { SignatureVerifier } from '../../transport/federation/verification.js';
import type { Operator } from '../admin-measures/operator.js';
import type { KnownServers } from '../discovery/known-servers.js';
import type { LatestRows } from '../discovery/latest-rows.js';
import type { TagHistories } from '../discovery/tag-histories.js';
import type { Trends } from '../discovery/trends.js';
import type { WordLists } from '../discovery/word-lists.js';
import type { StatusPages } from '../pages/status/status-pages.js';
import type { Soon } from '../paging/soon.js';
import type { SlowHosts } from '../posting/slow-hosts.js';
import type { InstanceEntries } from '../settings/entries.js';
import type { ReadServices } from '../viewing/read-services.js';

/** Takes activities that other servers send: actors/federation/inbox. */
export interface ActivityInbox {
  /** True while `receive` would refuse every activity: then its body need not be read. */
  readonly isFull: boolean;
  /** Records a request of a person, which goes before activities. */
  yieldToPeople(): void;
  /** Resolves to a refusal, or when the effect is durable. @throws Unavailable */
  receive(request: SignedRequest): Promise<'taken' | Problem>;
}

/** Files of other servers as this one shows them: media/remote-media.ts. */
interface RemoteFiles {
  /**
   * Returns a file with its media type, under a name that changes with its content. `missing`: there is none that is shown;
   * `busy`: too many are being fetched. @throws Unavailable
   */
  open(
    url: string,
  ): Promise<{ readonly name: string; readonly type: string; readonly file: StoredFile } | 'missing' | 'busy'>;
}

/** Everything that a route handler may use. */
export interface Services extends ReadServices {
  readonly askConversation: TypedAsk<ConversationCommands>;
  /** Renderer of statuses as JSON bytes. */
  readonly pages: StatusPages;
  readonly tagHistories: Pick<TagHistories, 'of'>;
  readonly latestRows: Pick<LatestRows, 'of'>;
  readonly wordLists: Pick<WordLists, 'of'>;
  readonly knownServers: Pick<KnownServers, 'peers' | 'count'>;
  readonly trends: Pick<Trends, 'tags' | 'links' | 'statuses' | 'authors'>;
  /** Settings, rules and other entries that administrators have written. */
  readonly entries: InstanceEntries;
  readonly askInstance: TypedAsk<InstanceCommands>;
  /** Files of this server. */
  readonly media: MediaStore;
  /** Files of other servers, each fetched when it is first read. */
  readonly remoteMedia: RemoteFiles;
  /** Creates the stored forms of uploads. */
  readonly workshop: Pick<Workshop, 'receive' | 'preview' | 'rectangle' | 'emoji' | 'remove'>;
  readonly askReport: TypedAsk<ReportCommands>;
  readonly askArchive: TypedAsk<ArchiveCommands>;
  readonly askImports: TypedAsk<ImportCommands>;
  /** Claims of names and immutable rows that no actor owns (apps, application tokens): actors/registry. */
  readonly registry: Registry;
  readonly random: Random;
  /** Receives the figures of caches. */
  readonly caches: Caches;
  readonly keyedTokens: KeyedTokens;
  /**
   * Public keys (PEM) of local accounts, by id, and of the instance. The first request makes a key. @throws Unavailable
   */
  readonly accountKeys: { publicPem(owner: string): Promise<string> };
  /** Requests to other servers, signatures of theirs, and their accounts and statuses. */
  readonly federation: {
    readonly client: FederationClient;
    readonly signatures: Pick<SignatureVerifier, 'verify'>;
    readonly keys: KeySource;
    readonly people: RemotePeople;
    readonly notes: RemoteNotes;
    readonly threads: RemoteThreads;
    readonly profiles: RemoteProfiles;
    /** Hosts for which authors do not wait. */
    readonly slowHosts: SlowHosts;
  };
  readonly operator: Operator;
  readonly inbox: ActivityInbox;
  /** Decides to which addresses this server may connect on behalf of users. */
  readonly addressGuard: AddressGuard;
  /**
   * Returns a new id for an account. The owner of its shard mints it, so no other node can return the same. @throws
   * Unavailable
   */
  newAccountId(): Promise<string>;
  /**
   * Returns a new id for an object that no actor owns. Two nodes return the same id with a chance of one in 65,536
   * within a millisecond.
   */
  newPlainId(): string;
}

/** Keys of other servers, with the accounts that own them. */
export interface KeySource {
  /**
   * Returns a key, which is fetched if it is not known. `fresh`: fetches it again, after a signature did not match. @throws
   * Unavailable when the store cannot answer
   */
  publicPem(
    keyId: string,
    options?: { readonly fresh?: boolean },
  ): Promise<{ readonly pem: string; readonly owner: StoreAccountRecord } | { readonly missing: string }>;
}

/** Writes of data that belongs to no actor: unique names (LWT) and immutable rows. */
export interface Registry {
  /**
   * Claims names (`acct:alice`, `email:a@b.c`) for an id, all or none. Returns the first name that is taken, or
   * undefined. If no account follows a claim, another caller can take it over after a minute.
   */
  claim(names: readonly string[], id: string): Promise<string | undefined>;
  /**
   * Makes claims final, after the account that has them is durable. Returns the first name that meanwhile belongs to
   * another id; the account must then be closed.
   */
  confirm(names: readonly string[], id: string): Promise<string | undefined>;
  release(names: readonly string[], id: string): Promise<void>;
  /** Releases claims that no account followed. */
  withdraw(names: readonly string[], id: string): Promise<void>;
  /** Returns true if a claim by this id would fail now. */
  isTaken(name: string, id: string): Promise<boolean>;
  find(name: string): Soon<string | undefined>;
  putApp(clientId: string, app: import('../../proto/gen/types.js').StoreAppRecord): Promise<void>;
  putAppToken(hash: string, token: import('../../proto/gen/types.js').StoreTokenRecord): Promise<void>;
  removeAppToken(hash: string, token: import('../../proto/gen/types.js').StoreTokenRecord): Promise<void>;
  /** Records a use of a token, at most once an hour. Neither waits nor fails. */
  noteTokenUse(hash: string): void;
  /**
   * Counts a sign-up that was refused because `domain` blocks the provider of the e-mail address. `attempt` is a new
   * id.
   */
  refusedSignUp(domain: string, attempt: string, address: string): Promise<void>;
  /**
   * Claims the right to answer a request. Returns the id for the object that the request creates: `newId`, or the id of
   * the first attempt. Otherwise returns the stored answer, or `pending` if another node is about to answer.
   */
  claimAnswer(
    name: string,
    newId: string,
  ): Promise<{ readonly newId: string } | 'pending' | { readonly status: number; readonly body: string }>;
  /** Stores the answer to a claimed request. Without an answer, another attempt may run under the same id. */
  keepAnswer(name: string, answer: { readonly status: number; readonly body: string } | undefined): Promise<void>;
}
