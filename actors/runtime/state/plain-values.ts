/**
 * Converts plain values to JSON that also represents maps, sets, bytes and `undefined`, which states consist of. Every
 * version of Node reads JSON alike; the format of `node:v8` differs between versions.
 */

/** Marks an object that represents another value: `{"$": 0}` for undefined, else `{"$": [kind, …content]}`. */
const MARK = '$';
const UNDEFINED = { [MARK]: 0 };

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * Converts a plain value to JSON.
 * @throws TypeError on functions, symbols and numbers that JSON cannot write
 */
export function toJson(value: unknown): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value)) return value;
      break;
    case 'undefined':
      return UNDEFINED;
    case 'object':
      return value === null ? null : objectToJson(value);
  }
  throw new TypeError(`a ${typeof value} cannot be stored in a snapshot: ${String(value)}`);
}

function objectToJson(value: object): Json {
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof Map) {
    const content: Json[] = ['map'];
    for (const [key, element] of value) content.push(toJson(key), toJson(element));
    return { [MARK]: content };
  }
  if (value instanceof Set) return { [MARK]: ['set', ...Array.from(value, toJson)] };
  if (value instanceof Uint8Array) return { [MARK]: ['bytes', Buffer.from(value).toString('base64')] };
  const record = recordToJson(value as Readonly<Record<string, unknown>>);
  return MARK in value ? { [MARK]: ['object', record[MARK] as Json, without(record)] } : record;
}

function recordToJson(value: Readonly<Record<string, unknown>>): Record<string, Json> {
  const record: Record<string, Json> = {};
  for (const name of Object.keys(value)) {
    const element = toJson(value[name]);
    if (name in record) Object.defineProperty(record, name, { ...OWN, value: element });
    else record[name] = element;
  }
  return record;
}

/** Attributes of a property as an assignment creates it, also for a name that objects inherit. */
export const OWN = { enumerable: true, configurable: true, writable: true } as const;

function without({ [MARK]: _, ...rest }: Record<string, Json>): Json {
  return rest;
}

/**
 * Converts the output of `toJson` back. It may change `json`. @throws TypeError on anything that `toJson` does not
 * write
 */
export function fromJson(json: Json): unknown {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(fromJson);
  const record = json as Record<string, Json>;
  const marked = record[MARK];
  if (marked !== undefined) return marked === 0 ? undefined : standsFor(marked);
  for (const name of Object.keys(record)) {
    const element = record[name] as Json;
    if (typeof element === 'object' && element !== null) record[name] = fromJson(element) as Json;
  }
  return record;
}

function standsFor(marked: Json): unknown {
  const [kind, ...content] = marked as readonly Json[];
  switch (kind) {
    case 'map': {
      const map = new Map<unknown, unknown>();
      for (let at = 0; at < content.length; at += 2)
        map.set(fromJson(content[at] as Json), fromJson(content[at + 1] as Json));
      return map;
    }
    case 'set':
      return new Set(content.map(fromJson));
    case 'bytes':
      return Uint8Array.from(Buffer.from(content[0] as string, 'base64'));
    case 'object':
      return { [MARK]: fromJson(content[0] as Json), ...(fromJson(content[1] as Json) as object) };
    default:
      throw new TypeError(`a snapshot holds the unknown kind ${String(kind)}`);
  }
}
