import type { Timer } from '../../../actors/domain/time.js';
import { codec } from '../../../proto/codec.js';
import type { InstanceEntry } from '../../../proto/gen/types.js';
import { type Bus, INSTANCE_TOPIC } from '../../../transport/bus.js';
import type { GatewayLogger } from '../../http/dispatcher.js';
import type { Services } from '../../http/services.js';
import { startsAtMsOf } from '../../pages/instance/announcement.js';
import { Feed } from '../feed.js';
import type { StreamEvent } from '../stream-event.js';
import { goneEvent, reactionEvent, startedEvent } from './announcement-event.js';

/** Longest wait of one timer: timers of Node hold at most 24 days, and the machine's clock may be set. */
const WAIT_MS_MAX = 3_600_000;

const topic = codec('murmuration.instance.InstanceTopic');

interface Parts {
  readonly services: Pick<Services, 'instance' | 'entries' | 'clock'>;
  readonly bus: Bus;
  readonly logger: GatewayLogger;
}

/**
 * Announcements for the streams of one node, each at its start. Missed ones are not sent again: clients find them in the
 * list of announcements.
 */
export class AnnouncementFeed {
  readonly #parts: Parts;
  readonly #send: (event: StreamEvent) => void;
  readonly #feed: Feed;
  /** Timers of announcements that have not started, by id: at most ENTRIES_MAX. */
  readonly #upcoming = new Map<string, Timer>();
  #closed = false;

  constructor(parts: Parts, send: (event: StreamEvent) => void) {
    this.#parts = parts;
    this.#send = send;
    const failed = (err: unknown) => parts.logger.error({ err }, 'failed to send a stream event');
    const onMessage = (payload: Uint8Array) => this.#received(payload);
    this.#feed = new Feed(parts.bus, parts.services.clock, INSTANCE_TOPIC, onMessage, failed);
    this.#feed.ready.then(() => this.#readUpcoming()).catch(failed);
  }

  /** Resolves when messages arrive, or the feed is closed. */
  get ready(): Promise<void> {
    return this.#feed.ready;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#upcoming.values()) timer.cancel();
    this.#upcoming.clear();
    await this.#feed.close();
  }

  #received(payload: Uint8Array): void {
    const message = topic.decode(payload);
    if (message.kind === 'announcement.reaction') this.#send(reactionEvent(message));
    if (message.kind === 'announcement.delete') this.#end(message.id);
    if (message.kind === 'announcement' && message.entry !== undefined) this.#put(message.entry);
  }

  #put(entry: InstanceEntry): void {
    const { clock, instance } = this.#parts.services;
    this.#forget(entry.id);
    if (startsAtMsOf(entry) <= clock.nowMs()) {
      this.#send(startedEvent(instance, entry));
      return;
    }
    // A change has put off its start: people may have seen it.
    if (entry.updatedAtMs !== entry.atMs) this.#send(goneEvent(entry.id));
    this.#await(entry);
  }

  #end(id: string): void {
    // Nobody has received an announcement that has not started.
    if (!this.#forget(id)) this.#send(goneEvent(id));
  }

  /** Sends an announcement at its start. */
  #await(entry: InstanceEntry): void {
    const { clock, instance } = this.#parts.services;
    const leftMs = startsAtMsOf(entry) - clock.nowMs();
    const timer = clock.after(Math.max(0, Math.min(leftMs, WAIT_MS_MAX)), () => {
      this.#upcoming.delete(entry.id);
      if (startsAtMsOf(entry) <= clock.nowMs()) this.#send(startedEvent(instance, entry));
      else this.#await(entry);
    });
    this.#upcoming.set(entry.id, timer);
  }

  /** Cancels the start of an announcement. Returns false if none was awaited. */
  #forget(id: string): boolean {
    this.#upcoming.get(id)?.cancel();
    return this.#upcoming.delete(id);
  }

  /** Awaits the announcements that were put before this feed began. */
  async #readUpcoming(): Promise<void> {
    const { entries, clock } = this.#parts.services;
    for (const entry of await entries.of('announcements')) {
      const isLater = startsAtMsOf(entry) > clock.nowMs();
      if (isLater && !this.#closed && !this.#upcoming.has(entry.id)) this.#await(entry);
    }
  }
}
