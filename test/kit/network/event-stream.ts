import { setTimeout } from 'node:timers/promises';
import { makeId } from '../../../actors/domain/ids.js';
import type { Send } from './injection.js';

/** The server of a stream. */
type Sender = { readonly send: Send };

/** One event of a server-sent stream, as received. */
export interface StreamedEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** Delay between two attempts to reconnect. */
const AGAIN_MS = 250;

/** An open `/api/v1/streaming/...` connection (SSE) that collects events until it is closed. */
export class EventStream {
  readonly events: StreamedEvent[] = [];
  private readonly updated: string[] = [];
  /** For each of them the position from which its connection began. */
  private readonly begun: (string | undefined)[] = [];
  /** True once the server has ended the stream or it broke. */
  ended = false;
  /** Number of reconnections. */
  returned = 0;
  private readonly abort = new AbortController();
  private reading: Promise<void> = Promise.resolve();
  private last: string | undefined;
  private since: string | undefined;

  private constructor(
    private readonly send: Send,
    /** Name of the stream, with its query. */
    readonly path: string,
  ) {}

  /** Opens a stream. `since`: the position after which it resumes. */
  static async open({ send }: Sender, stream: string, token: string, since?: string): Promise<EventStream> {
    const opened = new EventStream(send, stream);
    opened.last = since;
    opened.reading = opened.read(await opened.connect(`/api/v1/streaming/${stream}`, token));
    return opened;
  }

  /** Opens a stream that reconnects after it was closed, and resumes at its position, as browsers do. */
  static async resuming({ send }: Sender, stream: string, token: string): Promise<EventStream> {
    const opened = new EventStream(send, stream);
    const address = `/api/v1/streaming/${stream}`;
    opened.last = makeId(Date.now(), 0, 0);
    opened.reading = opened.readOn(address, token, await opened.connect(address, token));
    return opened;
  }

  /** Returns the ids of the statuses in `update` events, in order of arrival. */
  updates(): string[] {
    return [...this.updated];
  }

  /** Returns the position from which the connection began that sent the status last. */
  resumedBefore(id: string): string | undefined {
    return this.begun[this.updated.lastIndexOf(id)];
  }

  /** Returns the data of the events of this name, in order of arrival. */
  dataOf(name: string): string[] {
    return this.events.filter(({ event }) => event === name).map(({ data }) => data);
  }

  /** The position after which the stream resumes. */
  get position(): string | undefined {
    return this.last;
  }

  async close(): Promise<void> {
    this.abort.abort();
    await this.reading;
  }

  /** Connects. @throws unless the server opens the stream */
  private async connect(address: string, token: string): Promise<ReadableStream<Uint8Array>> {
    this.since = this.last;
    const response = await this.send(address, {
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'text/event-stream',
        ...(this.last !== undefined && { 'last-event-id': this.last }),
      },
      signal: this.abort.signal,
    });
    if (response.status === 200 && response.body !== null) return response.body;
    await response.body?.cancel();
    throw new Error(`stream ${address}: ${response.status}`);
  }

  private async readOn(address: string, token: string, first: ReadableStream<Uint8Array>): Promise<void> {
    for (let body: ReadableStream<Uint8Array> | undefined = first; !this.abort.signal.aborted; ) {
      if (body !== undefined) await this.read(body);
      await setTimeout(AGAIN_MS, undefined, { signal: this.abort.signal }).catch(() => undefined);
      // Retries a server that closed the stream or is down.
      body = await this.connect(address, token).catch(() => undefined);
      if (body !== undefined) this.returned += 1;
    }
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    this.ended = false;
    try {
      for await (const chunk of body) {
        const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) this.take(block);
      }
    } catch (error) {
      if (!this.abort.signal.aborted) this.events.push({ id: undefined, event: 'broken', data: String(error) });
    }
    this.ended = true;
  }

  private take(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':');
      if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).trimStart());
    }
    const data = fields.get('data');
    if (data === undefined) return;
    const id = fields.get('id');
    const event = fields.get('event') ?? 'message';
    // Tests look at these many times a second.
    if (event === 'update') {
      this.updated.push((JSON.parse(data) as { id: string }).id);
      this.begun.push(this.since);
    }
    this.last = id ?? this.last;
    this.events.push({ id, event, data });
  }
}
