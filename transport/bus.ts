import { Unavailable } from '../actors/domain/problem.js';
import type { NodeHeardOf } from '../proto/gen/types.js';

/**
 * The request reached nobody, so it may be sent again whatever it asks for. The outcome of a request that fails with
 * any other Unavailable is unknown.
 */
export class NotDelivered extends Unavailable {}

/** The answer to a request. A function is called when the answer is sent, before any later publication is sent. */
export type Served = Uint8Array | (() => Uint8Array);

/** Refused messages since the start, for the metrics. */
export interface BusCounts {
  /** Messages that could not be decoded. */
  readonly garbage: number;
  /** Requests refused because too many were being handled. */
  readonly busy: number;
}

/** A subscription or a served subject. `close` ends it, and resolves when nothing more will be delivered. */
export interface Subscription {
  close(): Promise<void>;
}

/**
 * Messages between nodes: requests to the node that serves a subject, and events to all subscribers. Nothing here is
 * durable: a published message may be lost (never repeated); receivers read what they need again from the store.
 */
export interface Bus {
  /**
   * Sends a request to the one server of the subject and returns its answer.
   * @throws NotDelivered at once when nobody serves the subject or the connection is down; Unavailable after
   *   `timeoutMs` without an answer, or at once when the connection breaks meanwhile
   * @param arrived receives the answer before any message that its sender published after it; a bus that cannot
   *   guarantee that order does not call it
   */
  request(
    subject: string,
    payload: Uint8Array,
    timeoutMs: number,
    arrived?: (answer: Uint8Array) => void,
  ): Promise<Uint8Array>;
  /** Serves a subject; resolves once requests from every node can reach the handler. */
  serve(subject: string, handler: (payload: Uint8Array) => Promise<Served>): Promise<Subscription>;
  /** Publishes to every subscriber, including this node's. Fire and forget. */
  publish(subject: string, payload: Uint8Array): void;
  /** Subscribes to a subject. Messages of one publisher arrive in order. */
  subscribe(subject: string, handler: (payload: Uint8Array) => void): Promise<Subscription>;
  /**
   * Calls the handler when messages of a subject may have been lost (a gap in a publisher's numbers, a reconnection),
   * so that it catches up; undefined stands for all common topics.
   */
  onGap(handler: (subject: string | undefined) => void): void;
  /**
   * Returns the last number of each publisher up to which all messages on common topics were received, for `follows` on
   * another node.
   */
  receivedUpTo(): readonly NodeHeardOf[];
  /**
   * Returns true if this node has received every message on common topics that another node had not received yet; a
   * message that is still missing will show as a gap. A cache that the other node kept current from these topics then
   * continues here without a loss.
   * @param lost messages up to these numbers do not count as received: this node has forgotten their effects
   */
  follows(received: readonly NodeHeardOf[], lost: readonly NodeHeardOf[]): boolean;
  /** False while the connection is down. */
  healthy(): boolean;
  /** Milliseconds since the connection was lost; 0 while it is up. */
  downMs(): number;
  /**
   * False from the loss of the connection until all publications are received again and the gap has been reported:
   * caches that messages keep current must not be used meanwhile.
   */
  hears(): boolean;
  /** Absent on a bus within one process, which refuses nothing. */
  counts?(): BusCounts;
  close(): Promise<void>;
}

/**
 * `actor.<shard>.<epoch>`: commands for the actors of a shard; its owner serves it. The owner also serves the subject
 * without the epoch, for senders that do not know it. The epoch is needed because a NATS server considers a host that
 * vanished subscribed for minutes, and sends it a part of the requests.
 */
export const actorSubject = (shard: number, epoch?: number): string =>
  epoch === undefined ? `actor.${shard}` : `actor.${shard}.${epoch}`;
/** New, changed and deleted statuses, one message per status and node (StatusTopic). */
export const STATUSES_TOPIC = 'topic.statuses';
/** Writes of rows that nodes cache (RowsWritten). */
export const ROWS_TOPIC = 'topic.rows';
const ACCOUNT_TOPICS = 'topic.account.';
/** Events of one account (AccountTopic): notifications, changed relations, revoked tokens. */
export const accountTopic = (account: string): string => `${ACCOUNT_TOPICS}${account}`;
/** Accounts whose relations changed (AccountTopic): nodes that cache relations ask again. */
export const RELATIONS_TOPIC = 'topic.relations';
/** Events of the instance for everybody (InstanceTopic): announcements and the reactions to them. */
export const INSTANCE_TOPIC = 'topic.instance';
/** Request counts (RateCounts), so that rate limits hold for the cluster. */
export const RATES_TOPIC = 'topic.rates';
/** A heartbeat of each node every second, so that others know that its messages arrive (Pulse). */
export const PULSE_TOPIC = 'topic.pulse';
/** Asks every node to confirm that it has received all earlier publications (AskHeard). */
export const HEARD_TOPIC = 'topic.heard';
/** The subject of the confirmations for one asking node (HaveHeard). */
export const heardSubject = (asker: string): string => `heard.${asker}`;
/** Announces activities of other servers that wait for a fetch: one byte, the lane of their rows. */
export const INBOX_TOPIC = 'topic.inbox';
/** Announces a change of the shard map: receivers read the row. */
export const CLUSTER_TOPIC = 'topic.cluster';

/** Topics that every node subscribes to. */
const COMMON_TOPICS: readonly string[] = [STATUSES_TOPIC, ROWS_TOPIC, RELATIONS_TOPIC, PULSE_TOPIC, HEARD_TOPIC];

/**
 * Returns true if messages of the subject may be packed with others into one message to every node. Topics of accounts
 * are packed, too: most of their messages have no subscriber, and a message of its own costs its sender and the server
 * more than its bytes cost every node.
 */
export const isCommon = (subject: string): boolean =>
  COMMON_TOPICS.includes(subject) || subject.startsWith(ACCOUNT_TOPICS);

/** Maximum size of a message: below NATS's default `max_payload` (1 MiB), which headers and wrappers share. */
export const PAYLOAD_BYTES_MAX = 1_000_000;
/**
 * Maximum number of requests that wait for answers on one bus: 1 KiB each, and a turn of the event loop to time them
 * all out.
 */
export const REQUESTS_IN_FLIGHT_MAX = 10_000;

export const servedBytes = (served: Served): Uint8Array => (typeof served === 'function' ? served() : served);

/** Checks the size of a message. @throws RangeError above PAYLOAD_BYTES_MAX: its sender should have limited it */
export function checkPayload(payload: Uint8Array): void {
  if (payload.length > PAYLOAD_BYTES_MAX)
    throw new RangeError(`a message has ${payload.length} bytes, the maximum is ${PAYLOAD_BYTES_MAX}`);
}
