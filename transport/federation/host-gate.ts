/** Bounds of concurrent requests to other servers. */
export interface GateBounds {
  readonly hostMax: number;
  readonly max: number;
  /** Requests that wait for others to the same host, and in all. */
  readonly hostWaitingMax: number;
  readonly waitingMax: number;
}

/** Gives a place back. */
type Leave = () => void;

interface Waiting {
  readonly host: string;
  readonly admit: () => void;
}

/** Admits requests to other servers: few to each host, so that a slow one takes neither sockets nor the time of others. */
export class HostGate {
  readonly #bounds: GateBounds;
  readonly #running = new Map<string, number>();
  readonly #waiting: Waiting[] = [];
  #total = 0;

  constructor(bounds: GateBounds) {
    this.#bounds = bounds;
  }

  /** Returns a place for a request, now or after others; undefined if too many wait, or `signal` ends the wait. */
  async enter(host: string, signal: AbortSignal): Promise<Leave | undefined> {
    if (signal.aborted) return undefined;
    if (this.#hasPlace(host)) return this.#take(host);
    const { waitingMax, hostWaitingMax } = this.#bounds;
    const ofHost = this.#waiting.filter((one) => one.host === host).length;
    if (this.#waiting.length >= waitingMax || ofHost >= hostWaitingMax) return undefined;
    return new Promise((resolve) => {
      const waiting = {
        host,
        admit: () => {
          signal.removeEventListener('abort', giveUp);
          resolve(this.#take(host));
        },
      };
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        resolve(undefined);
      };
      this.#waiting.push(waiting);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  #hasPlace(host: string): boolean {
    return this.#total < this.#bounds.max && (this.#running.get(host) ?? 0) < this.#bounds.hostMax;
  }

  #take(host: string): Leave {
    this.#total += 1;
    this.#running.set(host, (this.#running.get(host) ?? 0) + 1);
    return () => this.#leave(host);
  }

  /** Admits the request that has waited longest and whose host has a place. */
  #leave(host: string): void {
    this.#total -= 1;
    const left = (this.#running.get(host) ?? 0) - 1;
    if (left > 0) this.#running.set(host, left);
    else this.#running.delete(host);
    const next = this.#waiting.findIndex((one) => this.#hasPlace(one.host));
    if (next !== -1) this.#waiting.splice(next, 1)[0]?.admit();
  }
}
