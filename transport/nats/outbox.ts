import type { Clock, Timer } from '../../actors/domain/time.js';
import { codec } from '../../proto/codec.js';
import type { NodePacked } from '../../proto/gen/types.js';

const packs = codec('murmuration.node.Pack');

/** Maximum size of a pack of several messages; a single larger message forms a pack of its own. */
const PACK_BYTES_MAX = 131_072;
/**
 * Minimum interval between two sends in milliseconds; messages within it are gathered. A system call costs the sender,
 * the server and each receiver more than the messages in it.
 */
const GATHER_MS = 1;

/**
 * Gathers the messages that a node sends within one turn of the event loop, or within a millisecond when it sends
 * often. Messages on common topics go first, packed into one message; answers, requests and all other messages follow
 * in order. The receiver of one of those has therefore received what was published before it, and the receiver of an
 * answer has received nothing that was published after it.
 */
export class Outbox {
  #packed: NodePacked[] = [];
  #bytes = 0;
  #others: (() => void)[] = [];
  #answers = false;
  #turn: NodeJS.Immediate | undefined;
  #gathering: Timer | undefined;
  #sentMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly sendPack: (pack: Uint8Array) => void,
    private readonly clock: Pick<Clock, 'monotonicMs' | 'after'>,
  ) {}

  /** Adds a message to the pack. */
  pack(subject: string, payload: Uint8Array): void {
    if (this.#answers) this.flush();
    else if (this.#bytes + payload.length > PACK_BYTES_MAX) this.#flushPack();
    this.#packed.push({ subject, payload });
    this.#bytes += payload.length;
    this.#later();
  }

  answer(action: () => void): void {
    this.#answers = true;
    this.send(action);
  }

  /** Adds a message that is sent by itself. */
  send(action: () => void): void {
    this.#others.push(action);
    this.#later();
  }

  /** Sends all gathered messages now. */
  flush(): void {
    clearImmediate(this.#turn);
    this.#gathering?.cancel();
    this.#turn = undefined;
    this.#gathering = undefined;
    this.#sentMs = this.clock.monotonicMs();
    this.#flushPack();
    const others = this.#others;
    if (others.length === 0) return;
    this.#others = [];
    this.#answers = false;
    for (const action of others) action();
  }

  #flushPack(): void {
    if (this.#packed.length === 0) return;
    const entries = this.#packed;
    this.#packed = [];
    this.#bytes = 0;
    this.sendPack(packs.encode({ entries }));
  }

  #later(): void {
    if (this.#turn !== undefined || this.#gathering !== undefined) return;
    if (this.clock.monotonicMs() - this.#sentMs < GATHER_MS)
      this.#gathering = this.clock.after(GATHER_MS, () => this.flush());
    else this.#turn = setImmediate(() => this.flush());
  }
}

/** Returns a pack's messages in order. @throws on bytes that are not a pack */
export const unpack = (bytes: Uint8Array): readonly NodePacked[] => packs.decode(bytes).entries;
