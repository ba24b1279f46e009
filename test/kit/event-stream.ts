/** One event of a server-sent stream, as it came. */
export interface StreamedEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** An open `/api/v1/streaming/...` connection (SSE) that collects what comes until it is closed. */
export class EventStream {
  readonly events: StreamedEvent[] = [];
  /** Set once the server has ended the stream or it broke. */
  ended = false;
  private readonly abort = new AbortController();
  private reading: Promise<void> = Promise.resolve();

  static async open(url: string, stream: string, token: string): Promise<EventStream> {
    const opened = new EventStream();
    const response = await fetch(`${url}/api/v1/streaming/${stream}`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
      signal: opened.abort.signal,
    });
    if (response.status !== 200 || response.body === null) throw new Error(`stream ${stream}: ${response.status}`);
    opened.reading = opened.read(response.body);
    return opened;
  }

  /** Ids of the statuses in `update` events, in order of arrival. */
  updates(): string[] {
    return this.events
      .filter((event) => event.event === 'update')
      .map((event) => (JSON.parse(event.data) as { id: string }).id);
  }

  async close(): Promise<void> {
    this.abort.abort();
    await this.reading;
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
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
    if (data !== undefined) this.events.push({ id: fields.get('id'), event: fields.get('event') ?? 'message', data });
  }
}
