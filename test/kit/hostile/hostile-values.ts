import type { TSchema } from '@sinclair/typebox';

/**
 * A value that no field of its type accepts: as part of a form or query, as JSON text, or both. One byte a character.
 */
export interface Hostile {
  readonly label: string;
  readonly form?: string;
  readonly json?: string;
}

/** A field somewhere in a schema: `['source', 'privacy']`. */
export interface Field {
  readonly path: readonly string[];
  readonly schema: Shape;
}

interface Shape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  /** Values that do not fit count as absent (gateway/http/request/coerce.ts). */
  readonly lenient?: boolean;
  /** A number above the maximum is reduced to it. */
  readonly clamp?: boolean;
}

/** Returns all fields of an object's schema, including nested ones. */
export function fieldsOf(schema: TSchema | undefined, path: readonly string[] = []): Field[] {
  return Object.entries((schema as Shape | undefined)?.properties ?? {}).flatMap(([name, inner]) => {
    const own = [...path, name];
    const shape = inner as Shape;
    const elements = shape.type === 'array' ? fieldsOf(shape.items, [...own, '0']) : [];
    return [{ path: own, schema: shape }, ...fieldsOf(inner, own), ...elements];
  });
}

/** Returns the name of a field in forms: `a[b][c]`. */
export const formName = ([first = '', ...rest]: readonly string[]): string =>
  first + rest.map((key) => `[${key}]`).join('');

/** Returns JSON text of an object with `json` at the path, beside `others`. */
export function jsonWith(others: object, path: readonly string[], json: string): string {
  const [first = '', ...rest] = path;
  const nested = rest.reduceRight(
    (inner, key) => (key === '0' ? `[${inner}]` : `{${JSON.stringify(key)}:${inner}}`),
    json,
  );
  const kept = Object.entries(others).filter(([name]) => name !== first);
  return `{${[...kept.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`), `${JSON.stringify(first)}:${nested}`].join(',')}}`;
}

/** Values that are not text: refused for every type of field. */
const NO_TEXT: readonly Hostile[] = [
  { label: 'NUL', form: '=%00', json: '"\\u0000"' },
  { label: 'NUL within', form: '=1%002', json: '"a\\u0000b"' },
  { label: 'half a surrogate pair', form: '=%ed%a0%80', json: '"\\ud800"' },
  { label: 'bad UTF-8', form: '=%ff', json: '"\xff"' },
  { label: 'raw bad UTF-8', form: '=\xff\xfe', json: '"\xc3\x28"' },
  { label: 'bad escape', form: '=%zz', json: '"\\x"' },
  { label: 'no JSON value', json: 'NaN' },
];
const OBJECT: Hostile = { label: 'an object', form: '[a]=x', json: '{"a":"x"}' };
const ARRAY: Hostile = { label: 'an array', form: '[]=x', json: '["x"]' };
const NESTED: Hostile = { label: 'a nested array', form: '[][a]=x', json: '[[["x"]]]' };
const NESTED_JSON: Hostile = { label: 'a nested array', json: '[[["x"]]]' };
const TRUE: Hostile = { label: 'true', json: 'true' };
const HUGE: Hostile = { label: 'a number past all numbers', json: '1e400' };
const FRACTION: Hostile = { label: 'a fraction', form: '=1.5', json: '1.5' };
const THIRTY_DIGITS: Hostile = { label: '30 digits', form: `=${'9'.repeat(30)}`, json: '9'.repeat(30) };
const WORD: Hostile = { label: 'a word', form: '=perhaps', json: '"perhaps"' };
const NEGATIVE: Hostile = { label: 'negative', form: '=-1', json: '-1' };

/** Returns values that a field of this schema must refuse. */
export function hostileValues(schema: Shape): readonly Hostile[] {
  return [...NO_TEXT, ...wrongFor(schema)];
}

/** Returns those of them that are valid text, but not of its type. */
export function wrongFor(schema: Shape): readonly Hostile[] {
  if (schema.lenient === true) return [];
  if (schema.anyOf !== undefined) return wrongForAll(schema.anyOf.map((one) => one as Shape));
  switch (schema.type) {
    case 'string':
      return wrongForText(schema);
    case 'integer': {
      const wrong = [OBJECT, ARRAY, NESTED, TRUE, FRACTION, WORD, NEGATIVE];
      return schema.clamp === true ? wrong : [...wrong, THIRTY_DIGITS];
    }
    case 'null':
      return [OBJECT, ARRAY, NESTED, TRUE, FRACTION, THIRTY_DIGITS, WORD, NEGATIVE];
    case 'number':
      return [OBJECT, ARRAY, NESTED, TRUE, WORD];
    case 'boolean':
      return [OBJECT, ARRAY, NESTED, FRACTION, THIRTY_DIGITS, WORD, NEGATIVE, HUGE];
    case 'array':
      return holdsObjects(schema)
        ? [OBJECT, NESTED_JSON, ...tooMany(schema.maxItems, {})]
        : [OBJECT, NESTED, TRUE, ...tooMany(schema.maxItems, '1')];
    case 'object':
      // Scalars, and lists of them, count as absent.
      return [NESTED_JSON];
    default:
      throw new Error(`no hostile values for ${JSON.stringify(schema)}`);
  }
}

/** For these fields a nested form value is a valid object within the array. */
const holdsObjects = ({ items }: Shape) => (items as Shape | undefined)?.type === 'object';

function wrongForText({ const: only, pattern, maxLength }: Shape): Hostile[] {
  const wrong = [OBJECT, ARRAY, NESTED, TRUE, HUGE, { label: 'a fraction', json: '1.5' }];
  if (pattern !== undefined) wrong.push(WORD, NEGATIVE, THIRTY_DIGITS);
  if (only !== undefined) wrong.push(WORD, { label: 'too long', form: `=${'x'.repeat(5_000)}` });
  if (maxLength !== undefined) wrong.push(tooLong(maxLength));
  return wrong;
}

/** Long texts are sent only as JSON when an address, which also carries forms, has a lower limit. */
function tooLong(maxLength: number): Hostile {
  const text = 'x'.repeat(maxLength + 1);
  return { label: 'too long', json: `"${text}"`, ...(maxLength < 6_000 ? { form: `=${text}` } : {}) };
}

function tooMany(maxItems: number | undefined, item: unknown): Hostile[] {
  if (maxItems === undefined) return [];
  return [{ label: 'too many', json: JSON.stringify(Array.from({ length: maxItems + 1 }, () => item)) }];
}

/** Returns values that are wrong for each of the alternatives. */
function wrongForAll(alternatives: readonly Shape[]): readonly Hostile[] {
  const [first = [], ...rest] = alternatives.map(wrongFor);
  return first.filter((one) => rest.every((others) => others.some((other) => other.label === one.label)));
}
