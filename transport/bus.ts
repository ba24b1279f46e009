import { Unavailable } from '../actors/domain/problem.js';
import type { NodeHeardOf } from '../proto/gen/types.js';

/**
 * The request certainly reached nobody, so it may be sent again whatever it asks for. Any other Unavailable leaves
 * open whether it was carried out.
 */
export class NotDelivered extends Unavailable {}

/** The answer to a request. A function is called when it goes out, before anything that is published behind it. */
export type Served = Uint8Array | (() => Uint8Array);

/** Ends what it stands for; resolves when nothing more will be delivered. */
export interface Subscription {
  close(): Promise<void>;
}

/**
 * Messages between nodes: requests to whoever serves a subject, and events to all who subscribe. Nothing here is
 * durable: a published message may be lost (never repeated), and what matters is read again from the store.
 */
export interface Bus {
  /**
   * One answer from the one server of the subject.
   * @throws NotDelivered at once when nobody serves it or the connection is down; Unavailable after `timeoutMs` when none
   * answers, or at once when the connection breaks meanwhile
   * @param arrived gets the answer before any message that its sender published behind it; buses that cannot promise
   * that do not call it
   */
  request(
    subject: string,
    payload: Uint8Array,
    timeoutMs: number,
    arrived?: (answer: Uint8Array) => void,
  ): Promise<Uint8Array>;
  /** Resolves once requests from every node can reach the handler. */
  serve(subject: string, handler: (payload: Uint8Array) => Promise<Served>): Promise<Subscription>;
  /** To every subscriber, this node's too; fire and forget. */
  publish(subject: string, payload: Uint8Array): void;
  /** Messages of one publisher come in order. */
  subscribe(subject: string, handler: (payload: Uint8Array) => void): Promise<Subscription>;
  /** Called when messages may have been lost on this subject (a gap in a publisher's numbers, a reconnection): catch up. */
  onGap(handler: (subject: string | undefined) => void): void;
  /** Up to where all messages of each publisher have been heard on common topics, for another node's `follows`. */
  heard(): readonly NodeHeardOf[];
  /**
   * Whether whatever came on common topics behind what another node had heard was heard here; what is still missing then
   * shows as a gap. So what that node kept by these topics is made whole by what was heard here.
   * @param lost what was heard here up to there does not count: it is not remembered any more
   */
  follows(heard: readonly NodeHeardOf[], lost: readonly NodeHeardOf[]): boolean;
  /** False while the connection is down. */
  healthy(): boolean;
  /** For how long it has been down, milliseconds; 0 while it is not. */
  downMs(): number;
  /**
   * False from the loss of the connection until all that is published is heard again and the gap was told: what is kept
   * in step by messages is not to be believed meanwhile.
   */
  hears(): boolean;
  close(): Promise<void>;
}

/**
 * `actor.<shard>.<epoch>`: commands for the actors of a shard; its owner serves it. Without the epoch it is served too,
 * for those who do not know it: a host that vanished without a word goes on subscribing for minutes, as far as a NATS
 * server knows, and gets its part of what goes there.
 */
export const actorSubject = (shard: number, epoch?: number): string =>
  epoch === undefined ? `actor.${shard}` : `actor.${shard}.${epoch}`;
/** Every new, changed and deleted status, once per node (StatusTopic). */
export const STATUSES_TOPIC = 'topic.statuses';
/** Rows that nodes keep in memory and that one of them wrote (RowsWritten). */
export const ROWS_TOPIC = 'topic.rows';
const ACCOUNT_TOPICS = 'topic.account.';
/** What concerns one account (AccountTopic): notifications, changed relations, revoked tokens. */
export const accountTopic = (account: string): string => `${ACCOUNT_TOPICS}${account}`;
/** Whose relations changed (AccountTopic): nodes that keep them ask again. */
export const RELATIONS_TOPIC = 'topic.relations';
/** What the instance says to everybody (InstanceTopic): announcements and the reactions to them. */
export const INSTANCE_TOPIC = 'topic.instance';
/** How often was asked for what (RateCounts), so that limits hold for the cluster. */
export const RATES_TOPIC = 'topic.rates';
/** Every second from each node, so that others know that they hear it (Pulse). */
export const PULSE_TOPIC = 'topic.pulse';
/** Asks every node to say that it has heard what was published before (AskHeard). */
export const HEARD_TOPIC = 'topic.heard';
/** What they answer goes here (HaveHeard), to who asked. */
export const heardSubject = (asker: string): string => `heard.${asker}`;
/** Says that the shard map changed: whoever hears it reads the row. */
export const CLUSTER_TOPIC = 'topic.cluster';

/** What every node subscribes to. */
const COMMON_TOPICS: readonly string[] = [STATUSES_TOPIC, ROWS_TOPIC, RELATIONS_TOPIC, PULSE_TOPIC, HEARD_TOPIC];

/**
 * Whether messages on it may go to every node with others, as one. Accounts' topics are, too: most of what is said there
 * nobody listens to, and a message of its own costs its sender and the server more than its bytes cost every node.
 */
export const isCommon = (subject: string): boolean =>
  COMMON_TOPICS.includes(subject) || subject.startsWith(ACCOUNT_TOPICS);

/** What a message may weigh: below NATS's default `max_payload` (1 MiB), which headers and wrappers share. */
export const PAYLOAD_BYTES_MAX = 1_000_000;
/** Bounds what waits for answers on one bus: 1 KiB each and a turn of the event loop to time them all out. */
export const REQUESTS_IN_FLIGHT_MAX = 10_000;

export const servedBytes = (served: Served): Uint8Array => (typeof served === 'function' ? served() : served);

/** @throws RangeError a message above PAYLOAD_BYTES_MAX: its sender should have bounded it */
export function checkPayload(payload: Uint8Array): void {
  if (payload.length > PAYLOAD_BYTES_MAX) throw new RangeError(`a message of ${payload.length} bytes`);
}
