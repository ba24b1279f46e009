import type { TSchema } from '@sinclair/typebox';
import type { Uploaded } from '../route.js';

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
  readonly minimum?: number;
  readonly maximum?: number;
  readonly clamp?: boolean;
  readonly lenient?: boolean;
  readonly const?: unknown;
  readonly pattern?: string;
  readonly bytes?: boolean;
}

/**
 * Converts a value towards its schema before ajv judges it. Words become booleans and numbers. One value, or `{"0": …,
 * "1": …}` (a form's indexed names), becomes an array. A data: address becomes the file that it holds, because Mastodon
 * accepts pictures in JSON. Empty text becomes null if the schema allows null and not text.
 *
 * Some values count as absent if the schema does not allow them: null; empty text for numbers, booleans, literals and
 * texts with a pattern, also within a list; a scalar for an object or for a list of objects; and any value that does
 * not fit a schema that is `lenient`. Other values that do not fit are left for ajv to refuse. The function walks the
 * schema, not the value, so hostile nesting costs nothing. It changes objects in place.
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

/**
 * Converts a value for a union. An alternative of the value's own type wins; otherwise the first alternative to which
 * the value can be converted.
 */
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

function coerceNumber({ clamp, maximum }: Shape, value: unknown): unknown {
  const isClamped = clamp === true && maximum !== undefined;
  const number = typeof value === 'string' && isNumeral(value, isClamped) ? Number(value) : value;
  return isClamped && typeof number === 'number' && number > maximum ? maximum : number;
}

/**
 * Returns true for a number that JavaScript represents exactly, or for one of any size if it is clamped to a maximum
 * anyway.
 */
function isNumeral(text: string, isClamped: boolean): boolean {
  return /^[+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?$/.test(text) || (isClamped && /^\+?[0-9]+$/.test(text));
}

function coerceArray(shape: Shape, value: unknown): unknown {
  const list = asList(value);
  const items = shape.items as Shape | undefined;
  if (items === undefined || !Array.isArray(list)) return list;
  // Mastodon.py writes some lists as `id[][]`.
  const flat = items.type === 'array' ? list : list.flat();
  return flat
    .filter((item) => !(item === '' && cannotBeEmpty(items)) && !(isScalar(item) && takesObjectsOnly(items)))
    .map((item) => coerce(items as TSchema, item));
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
    const value = countsAsAbsent(schema as Shape, given) ? undefined : coerce(schema, given);
    if (value === undefined || isUnfit(schema as Shape, value)) delete holder[name];
    else holder[name] = value;
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
  if (takesObjectsOnly(shape) && holdsScalarsOnly(given)) return true;
  return (given === '' || isNoFile(given)) && cannotBeEmpty(shape);
}

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

/**
 * Returns true for a scalar, or a list of scalars. Converted to a list of objects it would be an empty list, which may
 * mean to delete all.
 */
const holdsScalarsOnly = (given: unknown): boolean =>
  Array.isArray(given) ? given.length > 0 && given.every(isScalar) : isScalar(given);

/**
 * Returns true if the schema allows only objects, lists of objects, or a union of these. A file is an object whose
 * bytes JSON may give as text.
 */
function takesObjectsOnly({ type, items, anyOf, bytes }: Shape): boolean {
  if (anyOf !== undefined) return anyOf.every((one) => takesObjectsOnly(one as Shape));
  if (type === 'array') return items !== undefined && takesObjectsOnly(items as Shape);
  return type === 'object' && bytes !== true;
}

/** Compiled patterns by their source. Sources come from schemas only, so the map is bounded. */
const patterns = new Map<string, RegExp>();

function patternOf(source: string): RegExp {
  let pattern = patterns.get(source);
  if (pattern === undefined) {
    pattern = new RegExp(source);
    patterns.set(source, pattern);
  }
  return pattern;
}

/** Returns true when the value counts as absent because its schema is lenient and does not take it. */
function isUnfit({ lenient, type, minimum, pattern = '' }: Shape, value: unknown): boolean {
  if (lenient !== true) return false;
  if (type === 'string') return typeof value !== 'string' || !patternOf(pattern).test(value);
  return !Number.isInteger(value) || (minimum !== undefined && (value as number) < minimum);
}

/**
 * Returns true if empty text counts as absent. Forms send fields that nobody filled in. Plain text may be empty: then
 * the route decides.
 */
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
        : shape.pattern !== undefined && !patternOf(shape.pattern).test('');
    default:
      return shape.bytes === true;
  }
}

/** Returns true for the value that a browser sends for a field without a chosen file. */
function isNoFile(given: unknown): boolean {
  const { filename, bytes } = (typeof given === 'object' && given !== null ? given : {}) as Partial<Uploaded>;
  return filename === '' && bytes instanceof Uint8Array && bytes.length === 0;
}
