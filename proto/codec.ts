import protobuf from 'protobufjs';
import { descriptor } from './gen/descriptor.js';
import type { Messages } from './gen/types.js';

/** Turns one kind of message into bytes and back. Decoding gives plain objects: absent optionals are missing. */
export interface Codec<T> {
  readonly name: string;
  encode(message: T): Uint8Array;
  /** @throws RangeError or Error on bytes that are not such a message */
  decode(bytes: Uint8Array): T;
}

const root = protobuf.Root.fromJSON(descriptor);
const known = new Map<string, Codec<unknown>>();

/** The codec of the message of that full protobuf name, `murmuration.account.Follow`. */
export function codec<Name extends keyof Messages>(name: Name): Codec<Messages[Name]> {
  let found = known.get(name);
  if (found === undefined) {
    found = make(name);
    known.set(name, found);
  }
  return found as Codec<Messages[Name]>;
}

function make(name: string): Codec<unknown> {
  const type = root.lookupType(name);
  return {
    name,
    encode: (message) => type.encode(message as protobuf.Message).finish(),
    decode: (bytes) => type.toObject(type.decode(bytes), { defaults: true, arrays: true, objects: true }),
  };
}
