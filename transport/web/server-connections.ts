import type { Client, Dispatcher, Pool } from 'undici';

type Undici = Pick<typeof import('undici'), 'Client' | 'Pool'>;

/** As undici takes them. */
export interface ServerOptions extends Client.Options {
  /** Maximum number of concurrent connections; further requests wait. */
  readonly connections: number;
}

/**
 * Connections to one server. The first is a plain client, and undici's pool is made for the others: its queue alone takes
 * 16 KiB, and a post goes to thousands of servers, most of which get one request.
 */
export class ServerConnections {
  readonly #first: Client;
  #others: Pool | undefined;

  constructor(
    private readonly undici: Undici,
    private readonly origin: string,
    private readonly options: ServerOptions,
  ) {
    const { connections: _, ...own } = options;
    this.#first = new undici.Client(origin, own);
  }

  get isIdle(): boolean {
    const { running = 0, queued = 0, pending = 0 } = this.#others?.stats ?? {};
    return this.#first.stats.size + running + queued + pending === 0;
  }

  request(sent: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    return this.#free().request(sent);
  }

  async destroy(): Promise<void> {
    await Promise.all([this.#first.destroy(), this.#others?.destroy()]);
  }

  #free(): Client | Pool {
    const { connections, ...own } = this.options;
    if (this.#first.stats.size === 0 || connections === 1) return this.#first;
    this.#others ??= new this.undici.Pool(this.origin, { ...own, connections: connections - 1 });
    return this.#others;
  }
}
