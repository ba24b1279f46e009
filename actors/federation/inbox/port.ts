import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import type { Tables } from '../../../store/port.js';
import type { JsonObject } from '../../../transport/federation/bounded-json.js';
import type { AccountCommands } from '../../account/slices.js';
import type { ConversationCommands } from '../../conversation/slices.js';
import type { DomainPolicies } from '../../domain/servers/domain-policy.js';
import type { Relays } from '../../domain/servers/relays.js';
import type { Clock } from '../../domain/time.js';
import type { InstanceCommands } from '../../instance/commands.js';
import type { Commands as ReportCommands } from '../../report/report.js';
import type { TypedAsk } from '../../runtime/kind.js';
import type { Allowed } from '../reading/authority.js';
import type { RemoteCollections, RemoteNotes, RemotePeople } from '../remote/port.js';
import type { Stamps } from '../remote/stamps.js';
import type { KnownActivities } from './replays.js';

/** An activity that may be believed, from a known account. */
export interface IncomingActivity {
  readonly document: JsonObject;
  /** The decision of `authority()`. */
  readonly allowed: Allowed;
  /** The account of the actor, which has signed it. */
  readonly sender: StoreAccountRecord;
  /** Address of the actor. */
  readonly senderUri: string;
  /**
   * False while the sender waits for its answer. Then an activity that needs something of another server is
   * `needs-fetch`, and is handed over again when it may be fetched.
   */
  readonly mayFetch: boolean;
}

/**
 * `done`: it has taken effect, durably. `ignored`: it has none. `needs-fetch`: see `mayFetch`. `later`: what it needs
 * cannot be fetched now.
 */
export type Outcome = 'done' | 'ignored' | 'needs-fetch' | 'later';

/** Everything that handlers of activities use. */
export interface IncomingServices {
  readonly baseUrl: string;
  /** Limits that administrators set on other servers. */
  readonly policies: DomainPolicies;
  readonly relays: Relays;
  readonly people: RemotePeople;
  readonly notes: Omit<RemoteNotes, 'resolve'>;
  readonly collections: Omit<RemoteCollections, 'all'>;
  /** Send the commands that activities ask for (receiverOf). */
  readonly askAccount: TypedAsk<AccountCommands>;
  readonly askConversation: TypedAsk<ConversationCommands>;
  readonly askReport: TypedAsk<ReportCommands>;
  readonly askInstance: TypedAsk<InstanceCommands>;
  /** Query of relations: commands only read. */
  relationsOf(account: string, target: string): Promise<{ readonly following: boolean; readonly blockedBy: boolean }>;
  /** Returns a local account that others may see, by its name. */
  localAccount(username: string): Promise<StoreAccountRecord | undefined>;
  readonly stamps: Pick<Stamps, 'prove' | 'mayBe'>;
  readonly activities: KnownActivities;
  readonly tables: Pick<Tables, 'get' | 'getMany'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Returns a new id for a report. */
  newReportId(): Promise<string>;
}

/** Carries out one type of activity. */
export interface ActivityHandler {
  /** True: its id is remembered, so that a repetition has no effect even after the activity was undone. */
  readonly isRemembered: boolean;
  /**
   * Returns the order in which the activity waits for its fetch; absent or undefined: that of its object. Activities of
   * one order wait for each other.
   */
  orderOf?(activity: Pick<IncomingActivity, 'senderUri' | 'document'>): string | undefined;
  take(activity: IncomingActivity, services: IncomingServices): Promise<Outcome>;
}
