import protobuf from 'protobufjs';
import { descriptors } from './gen/descriptors.js';

/** Messages and enumerations that were asked for so far. */
const root = new protobuf.Root();
const known = new Map<string, protobuf.ReflectionObject>();

/**
 * Returns the reflection of a message by its full protobuf name. It is built when it is first asked for, with those that
 * its fields refer to: a start needs few of all messages, and building all of them takes a tenth of its time.
 */
export function messageType(name: string): protobuf.Type {
  const found = reflected(name);
  if (!(found instanceof protobuf.Type)) throw new Error(`${name} is no message`);
  return found;
}

function reflected(name: string): protobuf.ReflectionObject {
  const before = known.get(name);
  if (before !== undefined) return before;
  const text = (descriptors as Readonly<Record<string, string>>)[name];
  if (text === undefined) throw new Error(`there is no message ${name}`);
  const json = JSON.parse(text) as protobuf.IType | protobuf.IEnum;
  const [, space = '', own = ''] = /^(.*)\.([^.]+)$/.exec(name) ?? [];
  const made = 'fields' in json ? protobuf.Type.fromJSON(own, json) : protobuf.Enum.fromJSON(own, json);
  known.set(name, made);
  root.define(space).add(made);
  // References are absolute: they begin with a dot.
  if (made instanceof protobuf.Type)
    for (const { type } of made.fieldsArray) if (type.startsWith('.')) reflected(type.slice(1));
  return made;
}
