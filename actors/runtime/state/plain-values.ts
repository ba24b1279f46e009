import { LazyMap, LazySet } from './lazy-collections.js';

/**
 * Converts plain values to JSON that also represents maps, sets, bytes and `undefined`, which states consist of. Every
 * version of Node reads JSON alike; the format of `node:v8` differs between versions.
 */

/** Marks an object that represents another value: `{"$": 0}` for undefined, else `{"$": [kind, …content]}`. */
const MARK = '$';
const UNDEFINED = { [MARK]: 0 };

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Weight of a value besides its characters, each of which weighs 1: about the length of a number. */
const VALUE_WEIGHT = 16;

/** Bounds a conversion by the weight of the value, about the length of its text. */
export class Budget {
  /** Not above 0: the value is heavier than the budget was, and what was returned for it is not whole. */
  left: number;

  constructor(weight: number) {
    this.left = weight;
  }

  /** Takes the weight of a value without its elements. Returns true if something is left for these. */
  takes(characters = 0): boolean {
    this.left -= VALUE_WEIGHT + characters;
    return this.left > 0;
  }
}

const UNBOUNDED = new Budget(Number.POSITIVE_INFINITY);

/**
 * Converts a plain value to JSON. A value that JSON writes as it is, as most are, is returned itself, not a copy. The
 * conversion stops as soon as the value is heavier than the budget.
 * @throws TypeError on functions, symbols and numbers that JSON cannot write
 */
export function toJson(value: unknown, budget: Budget = UNBOUNDED): Json {
  switch (typeof value) {
    case 'string':
      budget.takes(value.length);
      return value;
    case 'boolean':
      budget.takes();
      return value;
    case 'number':
      budget.takes();
      if (Number.isFinite(value)) return value;
      break;
    case 'undefined':
      budget.takes();
      return UNDEFINED;
    case 'object':
      if (value instanceof Uint8Array) {
        budget.takes(value.length);
        return { [MARK]: ['bytes', Buffer.from(value).toString('base64')] };
      }
      return budget.takes() && value !== null ? objectToJson(value, budget) : null;
  }
  throw new TypeError(`a ${typeof value} cannot be stored in a snapshot: ${String(value)}`);
}

function objectToJson(value: object, budget: Budget): Json {
  if (Array.isArray(value)) return listToJson(value, budget);
  if (!isPlain(value)) {
    if (isMap(value)) return { [MARK]: entriesToJson(value, budget) };
    if (isSet(value)) return { [MARK]: elementsToJson(['set'], value, budget) };
  }
  const record = recordToJson(value as Readonly<Record<string, unknown>>, budget);
  return MARK in value ? { [MARK]: ['object', record[MARK] ?? null, without(record)] } : record;
}

const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype;

export const isMap = (value: object): value is Map<unknown, unknown> =>
  value instanceof LazyMap || value instanceof Map;
export const isSet = (value: object): value is Set<unknown> => value instanceof LazySet || value instanceof Set;

function elementsToJson(content: Json[], elements: Iterable<unknown>, budget: Budget): Json[] {
  for (const element of elements) {
    content.push(toJson(element, budget));
    if (budget.left <= 0) break;
  }
  return content;
}

function entriesToJson(map: ReadonlyMap<unknown, unknown>, budget: Budget): Json[] {
  const content: Json[] = ['map'];
  for (const [key, element] of map) {
    content.push(toJson(key, budget), toJson(element, budget));
    if (budget.left <= 0) break;
  }
  return content;
}

function listToJson(list: readonly unknown[], budget: Budget): readonly Json[] {
  let copy: Json[] | undefined;
  for (let place = 0; place < list.length; place++) {
    const element = list[place];
    const json = toJson(element, budget);
    if (json !== element) copy ??= list.slice(0, place) as Json[];
    copy?.push(json);
    if (budget.left <= 0) break;
  }
  return copy ?? (list as readonly Json[]);
}

/** Returns the value itself only if it has no other keys and no methods than the JSON that it becomes. */
function recordToJson(value: Readonly<Record<string, unknown>>, budget: Budget): Readonly<Record<string, Json>> {
  let copy: Record<string, Json> | undefined = isPlain(value) ? undefined : {};
  for (const name of Object.keys(value)) {
    budget.takes(name.length);
    const element = value[name];
    const json = toJson(element, budget);
    if (json !== element) copy ??= copyBefore(value, name);
    if (copy !== undefined) setOwn(copy, name, json);
    if (budget.left <= 0) break;
  }
  return copy ?? (value as Readonly<Record<string, Json>>);
}

/** Returns a copy of the keys before `end`, whose values are JSON. */
function copyBefore(value: Readonly<Record<string, unknown>>, end: string): Record<string, Json> {
  const copy: Record<string, Json> = {};
  for (const name of Object.keys(value)) {
    if (name === end) break;
    setOwn(copy, name, value[name] as Json);
  }
  return copy;
}

/** Sets a property, also one with a name that objects inherit. */
function setOwn(record: Record<string, Json>, name: string, element: Json): void {
  if (name in record) Object.defineProperty(record, name, { ...OWN, value: element });
  else record[name] = element;
}

/** Attributes of a property as an assignment creates it, also for a name that objects inherit. */
export const OWN = { enumerable: true, configurable: true, writable: true } as const;

function without({ [MARK]: _, ...rest }: Readonly<Record<string, Json>>): Json {
  return rest;
}

/**
 * Converts the output of `toJson` back; maps and sets become lazy ones. It may change `json`. @throws TypeError on
 * anything that `toJson` does not write
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
      const map = new LazyMap<unknown, unknown>();
      for (let at = 0; at < content.length; at += 2)
        map.set(fromJson(content[at] as Json), fromJson(content[at + 1] as Json));
      return map;
    }
    case 'set':
      return new LazySet(content.map(fromJson));
    case 'bytes':
      return Uint8Array.from(Buffer.from(content[0] as string, 'base64'));
    case 'object':
      return { [MARK]: fromJson(content[0] as Json), ...(fromJson(content[1] as Json) as object) };
    default:
      throw new TypeError(`a snapshot holds the unknown kind ${String(kind)}`);
  }
}
