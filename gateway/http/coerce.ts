import type { TSchema } from '@sinclair/typebox';
import type { Uploaded } from './route.js';

const TRUE_WORDS = new Set(['true', 'True', 'TRUE', '1', 'on', 't', 'yes']);
const FALSE_WORDS = new Set(['false', 'False', 'FALSE', '0', 'off', 'f', 'no']);

/** A file as text. Source: RFC 2397. */
const DATA_ADDRESS = /^data:([a-z]{1,32}\/[a-z0-9.+-]{1,64});base64,/i;

/** The parts of JSON schema that coercion looks at. */
interface Shape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
  readonly maximum?: number;
  readonly clamp?: boolean;
  readonly const?: unknown;
  readonly pattern?: string;
  readonly bytes?: boolean;
}

/**
 * Brings a value towards its schema before ajv judges it: words for booleans and numbers, one value for an array,
 * `{"0": …, "1": …}` (a form's indexed names) for an array; null and, for numbers and booleans, empty text count as
 * absent where the schema does not allow them, as does empty text for one of some words or for what has a pattern,
 * also within a list;
 * empty text is null where that is allowed and text is not; a data: address is the file that it holds, as Mastodon takes
 * pictures in JSON. What does not fit is left for ajv to refuse. Walks the schema, not
 * the value, so hostile nesting costs nothing. Changes objects in place.
 */
export function coerce(schema: TSchema, value: unknown): unknown {
  const shape = schema as Shape;
  if (shape.anyOf !== undefined) return coerceUnion(shape.anyOf, value);
  switch (shape.type) {
    case 'boolean':
      return coerceBoolean(value);
    case 'integer':
    case 'number':
      return coerceNumber(shape, value);
    case 'string':
      return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
    case 'array':
      return coerceArray(shape, value);
    case 'object':
      return shape.bytes === true ? coerceFile(value) : coerceObject(shape, value);
    default:
      return value;
  }
}

/** A union that takes the value's own type keeps it; else the first alternative to which it can be brought. */
function coerceUnion(alternatives: readonly TSchema[], value: unknown): unknown {
  const own = alternatives.find((one) => (one as Shape).type === typeNameOf(value));
  if (own !== undefined) return coerce(own, value);
  if (value === '' && hasNull(alternatives)) return null;
  for (const one of alternatives) {
    const coerced = coerce(one, value);
    if (coerced !== value) return coerced;
  }
  return value;
}

const hasNull = (alternatives: readonly TSchema[]) => alternatives.some((one) => (one as Shape).type === 'null');

function typeNameOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function coerceBoolean(value: unknown): unknown {
  if (value === 1) return true;
  if (value === 0) return false;
  if (typeof value !== 'string') return value;
  if (TRUE_WORDS.has(value)) return true;
  return FALSE_WORDS.has(value) ? false : value;
}

function coerceNumber(shape: Shape, value: unknown): unknown {
  const number =
    typeof value === 'string' && /^[+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?$/.test(value) ? Number(value) : value;
  if (shape.clamp === true && shape.maximum !== undefined && typeof number === 'number' && number > shape.maximum) {
    return shape.maximum;
  }
  return number;
}

function coerceArray(shape: Shape, value: unknown): unknown {
  const list = asList(value);
  const items = shape.items as Shape | undefined;
  if (items === undefined || !Array.isArray(list)) return list;
  // Mastodon.py writes some lists as `id[][]`.
  const flat = items.type === 'array' ? list : list.flat();
  return flat.filter((item) => !(item === '' && cannotBeEmpty(items))).map((item) => coerce(items as TSchema, item));
}

function asList(value: unknown): unknown {
  if (Array.isArray(value)) return value;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    if (!entries.every(([key]) => /^[0-9]{1,9}$/.test(key))) return value;
    return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item);
  }
  return typeof value === 'string' || typeof value === 'number' ? [value] : value;
}

function coerceObject(shape: Shape, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const holder = value as Record<string, unknown>;
  for (const [name, schema] of Object.entries(shape.properties ?? {})) {
    if (!Object.hasOwn(holder, name)) continue;
    const given = holder[name];
    if (countsAsAbsent(schema as Shape, given)) delete holder[name];
    else holder[name] = coerce(schema, given);
  }
  return holder;
}

function coerceFile(value: unknown): unknown {
  const head = typeof value === 'string' ? DATA_ADDRESS.exec(value) : null;
  if (typeof value !== 'string' || head === null) return value;
  const bytes = Buffer.from(value.slice(head[0].length), 'base64');
  return { bytes, filename: 'data', contentType: head[1] } satisfies Uploaded;
}

function countsAsAbsent(shape: Shape, given: unknown): boolean {
  if (given === null) return shape.type !== 'null' && !hasNull(shape.anyOf ?? []);
  return (given === '' || isNoFile(given)) && cannotBeEmpty(shape);
}

/** Forms name fields that nobody filled in. Plain text may be empty: then it is for the route to say. */
function cannotBeEmpty(shape: Shape): boolean {
  if (shape.anyOf !== undefined) return shape.anyOf.every((one) => cannotBeEmpty(one as Shape));
  switch (shape.type) {
    case 'boolean':
    case 'integer':
    case 'number':
      return true;
    case 'string':
      return shape.const !== undefined
        ? shape.const !== ''
        : shape.pattern !== undefined && !new RegExp(shape.pattern).test('');
    default:
      return shape.bytes === true;
  }
}

/** What a browser sends for a field in which no file was chosen. */
function isNoFile(given: unknown): boolean {
  const { filename, bytes } = (typeof given === 'object' && given !== null ? given : {}) as Partial<Uploaded>;
  return filename === '' && bytes instanceof Uint8Array && bytes.length === 0;
}
