import { type JsonSchema, REFERENCE } from '../../../gateway/openapi/published.js';

/**
 * Facts of the REST API that clients expect. `entities`: entity, field (dotted inside, `[]` through an array), type,
 * 1 when required. `operations`: method, path, auth, scopes, success codes, answer.
 */
export interface Facts {
  readonly entities: readonly (readonly [string, string, string, number])[];
  readonly operations: readonly (readonly [string, string, string, string, string, string])[];
}

/** Schemas of string formats. Unknown addresses are sent as an empty text. */
const FORMATS: Readonly<Record<string, JsonSchema>> = {
  uri: { type: 'string', pattern: '^$|^[a-z][a-z0-9+.-]*:' },
  'date-time': { type: 'string', format: 'date-time' },
  date: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' },
  email: { type: 'string', pattern: '^$|@' },
};

/** Builds the schemas of all entities by name; they refer to one another as parts of an OpenAPI document. */
export function entitySchemas({ entities }: Facts): Readonly<Record<string, JsonSchema>> {
  const rows = new Map<string, (readonly [string, string, number])[]>();
  for (const [entity, field, type, required] of entities) {
    const own = rows.get(entity) ?? [];
    own.push([field, type, required]);
    rows.set(entity, own);
  }
  const schemas: Record<string, JsonSchema> = {};
  for (const [entity, fields] of rows) {
    const [field, type] = fields[0] ?? ['', ''];
    schemas[entity] = field.startsWith('(') ? typeSchema(type) : objectSchema(inherited(fields, rows));
  }
  return schemas;
}

type Field = readonly [path: string, type: string, required: number];

function inherited(fields: readonly Field[], rows: ReadonlyMap<string, readonly Field[]>): readonly Field[] {
  return fields.flatMap((field) =>
    field[0] === '*' ? (rows.get(field[1].replace(/^all fields of /, '')) ?? []) : [field],
  );
}

interface Building {
  readonly properties: Record<string, JsonSchema>;
  readonly required: string[];
}

/**
 * Builds an object schema. A nested field belongs to the longest path declared before it; the rest of its path is one
 * name, even with dots.
 */
function objectSchema(fields: readonly Field[]): JsonSchema {
  const objects = new Map<string, Building>([['', { properties: {}, required: [] }]]);
  const root = objects.get('') as Building;
  for (const [path, type, required] of fields) {
    const parentPath = parentOf(path, objects);
    const parent = objects.get(parentPath) ?? root;
    const name = path.slice(parentPath.length).replace(/^(?:\[\])?\./, '');
    let schema = typeSchema(type);
    if (/^object(?:\[\])?\??$/.test(type)) {
      const inner: Building = { properties: {}, required: [] };
      objects.set(path, inner);
      const object = { type: 'object', ...inner };
      schema = type.includes('[]') ? { type: 'array', items: object } : object;
    }
    parent.properties[name] = required === 1 ? schema : orNull(schema);
    if (required === 1) parent.required.push(name);
  }
  return { type: 'object', ...root };
}

function parentOf(path: string, objects: ReadonlyMap<string, Building>): string {
  let found = '';
  for (const known of objects.keys()) {
    const isParent = path.startsWith(`${known}.`) || path.startsWith(`${known}[].`);
    if (known.length > found.length && isParent) found = known;
  }
  return found;
}

function orNull(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.anyOf) && schema.anyOf.some((one: JsonSchema) => one.type === 'null')) return schema;
  return { anyOf: [schema, { type: 'null' }] };
}

/** Builds the schema of a type in the notation of the facts. */
export function typeSchema(text: string): JsonSchema {
  if (text.endsWith('?')) return orNull(typeSchema(text.slice(0, -1)));
  if (text.endsWith('[]')) return { type: 'array', items: typeSchema(text.slice(0, -2)) };
  if (text.startsWith('{')) return inlineObject(text.slice(1, -1));
  const inner = /^\(([^()]*)\)$/.exec(text)?.[1];
  if (inner !== undefined) return typeSchema(inner);
  if (text.includes(' or ')) return { anyOf: text.split(' or ').map(typeSchema) };
  if (text.includes('|')) return { type: 'string', enum: text.split('|') };
  if (['string', 'integer', 'number', 'boolean', 'object'].includes(text)) return { type: text };
  const format = /^string\(([^)]+)\)$/.exec(text)?.[1];
  if (format !== undefined) return FORMATS[format] ?? { type: 'string' };
  return { $ref: `${REFERENCE}${text}` };
}

/** Parses `name?:type` and similar fields, separated by commas; `<name>:type` stands for any number of fields. */
function inlineObject(text: string): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  let others: JsonSchema | undefined;
  for (const part of atTopLevel(text)) {
    const [, name = '', optional, type] = /^([^:?]+)(\?)?(?::(.+))?$/.exec(part.trim()) ?? [];
    if (name.startsWith('<')) others = typeSchema(type ?? 'string');
    else if (name !== '') {
      properties[name] = type === undefined ? {} : typeSchema(type);
      if (optional === undefined) required.push(name);
    }
  }
  return { type: 'object', properties, required, ...(others === undefined ? {} : { additionalProperties: others }) };
}

function atTopLevel(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const sign of text) {
    if (sign === '{') depth++;
    if (sign === '}') depth--;
    if (sign === ',' && depth === 0) {
      parts.push(part);
      part = '';
    } else part += sign;
  }
  return [...parts, part];
}

/** Returns the schema of an operation's answer; undefined if it is not JSON, or unknown. */
export function answerSchema(answer: string): JsonSchema | undefined {
  if (answer === '' || answer === 'response' || /^(?:SSE|HTML|text) /.test(answer)) return undefined;
  const either = /^(\w+), or (\w+) when/.exec(answer);
  if (either !== null) return { anyOf: [typeSchema(either[1] ?? ''), typeSchema(either[2] ?? '')] };
  return typeSchema(answer);
}

/** Returns a path without the names of its parameters, because routes and facts name them differently. */
export const pathShape = (path: string): string => path.replace(/\{[^}]+\}|:\w+/g, '*');
