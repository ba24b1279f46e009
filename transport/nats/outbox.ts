import { codec } from '../../proto/codec.js';
import type { NodePacked } from '../../proto/gen/types.js';

const packs = codec('murmuration.node.Pack');

/** A pack goes before it gets larger; a single message may be. */
const PACK_BYTES_MAX = 131_072;

/**
 * What a node sends within one turn of the event loop. Messages on subjects that every node hears go first and
 * together, as one; answers, requests and all others follow in their order. So whoever gets one of those has got what
 * was published before it, and who gets an answer has got nothing that was published behind it.
 */
export class Outbox {
  #packed: NodePacked[] = [];
  #bytes = 0;
  #others: (() => void)[] = [];
  #answers = false;
  #turn: NodeJS.Immediate | undefined;

  constructor(private readonly sendPack: (pack: Uint8Array) => void) {}

  /** Goes with others in a pack. */
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

  /** Goes by itself. */
  send(action: () => void): void {
    this.#others.push(action);
    this.#later();
  }

  /** Sends what waits, now. */
  flush(): void {
    clearImmediate(this.#turn);
    this.#turn = undefined;
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
    this.#turn ??= setImmediate(() => this.flush());
  }
}

/** A pack's messages, in their order. @throws on bytes that are no pack */
export const unpack = (bytes: Uint8Array): readonly NodePacked[] => packs.decode(bytes).entries;
