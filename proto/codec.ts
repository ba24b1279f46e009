import protobuf from 'protobufjs';
import { layouts } from './gen/layouts.js';
import type { Messages } from './gen/types.js';
import { messageType } from './reflection.js';

/** Encodes and decodes one kind of message. Decoding gives plain objects; absent fields are missing or undefined. */
export interface Codec<T> {
  readonly name: string;
  encode(message: T): Uint8Array;
  /** Decodes a message. @throws RangeError or Error on bytes that are not such a message */
  decode(bytes: Uint8Array): T;
  /**
   * Copies a message. For messages of which a page reads many (LAID_OUT in generate.mjs), `copy` and `decode` create
   * the same object layout, with absent optionals as undefined, so that V8 finds each field at a fixed offset. A copy
   * by spread has another layout, and V8 looks up fields of many layouts by name.
   */
  copy?(message: T): T;
}

type MessageCodec<T> = Required<Codec<T>>;

const known = new Map<string, MessageCodec<unknown>>();

/** Returns the codec of a message by its full protobuf name, such as `murmuration.account.Follow`. */
export function codec<Name extends keyof Messages>(name: Name): MessageCodec<Messages[Name]> {
  let found = known.get(name);
  if (found === undefined) {
    found = make(name);
    known.set(name, found);
  }
  return found as MessageCodec<Messages[Name]>;
}

const OBJECTS = { defaults: true, arrays: true, objects: true };

function make(name: string): MessageCodec<unknown> {
  let built: protobuf.Type | undefined;
  const encode = (message: unknown) => {
    built ??= messageType(name);
    return encoder.encode(built, message as protobuf.Message);
  };
  const decode = (bytes: Uint8Array) => {
    built ??= messageType(name);
    return built.toObject(built.decode(bytes), OBJECTS);
  };
  const layout = (layouts as Readonly<Record<string, (message: unknown) => unknown>>)[name];
  return layout === undefined
    ? { name, encode, decode, copy: (message) => ({ ...(message as object) }) }
    : { name, encode, decode: (bytes) => layout(decode(bytes)), copy: layout };
}

/** Largest scratch buffer that is reused for the next message. */
const SCRATCH_BYTES_MAX = 1_048_576;
/** Size of the pool from which messages are sliced. Node's own has an eighth; a new pool costs more than encoding. */
const POOL_BYTES = 65_536;

/** Encodes each message in the same scratch memory, and copies the result. */
class Encoder {
  private writer = protobuf.Writer.create();
  private pool = Buffer.alloc(0);
  private free = 0;

  encode(type: protobuf.Type, message: protobuf.Message): Uint8Array {
    const { writer } = this;
    try {
      return this.cut(type.encode(message, writer).finish(true));
    } finally {
      if (writer.len > SCRATCH_BYTES_MAX || writer.states?.length) this.writer = protobuf.Writer.create();
      writer.reset();
    }
  }

  private cut(bytes: Uint8Array): Uint8Array {
    if (bytes.length * 4 > POOL_BYTES) return Buffer.from(bytes);
    if (this.free + bytes.length > this.pool.length) {
      this.pool = Buffer.allocUnsafeSlow(POOL_BYTES);
      this.free = 0;
    }
    const from = this.free;
    this.free += bytes.length;
    this.pool.set(bytes, from);
    return this.pool.subarray(from, this.free);
  }
}

const encoder = new Encoder();
