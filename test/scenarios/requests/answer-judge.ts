import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonSchema } from '../../../gateway/openapi/published.js';
import { answerSchema } from '../../gateway/openapi/facts.js';

const FAULTS_MAX = 5;
const ENTITIES = 'https://facts.invalid/';
const REFERENCE = /^#\/components\/schemas\//;

/** Judges answers by the entities of the API, and records which of its entities no answer contained. */
export class AnswerJudge {
  /** Places for an entity in judged answers (`Status.poll`, `GET /api/v1/lists[]`), with true if one was present. */
  private readonly places = new Map<string, boolean>();
  private readonly ajv = new Ajv2020({ allErrors: true, strict: false });

  /** `schemas`: the entities by name. */
  constructor(schemas: Readonly<Record<string, JsonSchema>>) {
    addFormats.default(this.ajv);
    this.ajv.addKeyword({
      keyword: 'taken',
      validate: (place: string) => this.places.set(place, true) !== undefined,
    });
    this.ajv.addKeyword({ keyword: 'places', validate: (names: readonly string[]) => this.note(names) });
    for (const [entity, schema] of Object.entries(schemas))
      this.ajv.addSchema(marked(schema, entity) as JsonSchema, ENTITIES + entity);
  }

  /**
   * Returns the faults of the body as that answer; `name` identifies the route. Undefined: the answer is undocumented.
   */
  faults(answer: string, name: string, body: unknown): string[] | undefined {
    const schema = answerSchema(answer);
    return schema && this.faultsBy(schema, `${name}: ${answer}`, name, body);
  }

  /** Returns the faults of the body by a schema. `label` is the beginning of their texts. */
  faultsBy(schema: JsonSchema, label: string, name: string, body: unknown): string[] {
    const own = marked(schema, name) as JsonSchema;
    this.note(placesOf(own));
    const check = this.ajv.compile(own);
    if (check(body)) return [];
    return (check.errors ?? [])
      .slice(0, FAULTS_MAX)
      .map(({ instancePath, message, params }) => `${label}${instancePath} ${message} ${JSON.stringify(params)}`);
  }

  /** Places that were empty in every answer. */
  get empty(): string[] {
    return [...this.places].filter(([, taken]) => !taken).map(([place]) => place);
  }

  private note(names: readonly string[]): true {
    for (const place of names) if (!this.places.has(place)) this.places.set(place, false);
    return true;
  }
}

/** Returns the schema with the name of each place for an entity, and with the places of each object. */
function marked(schema: unknown, name: string): unknown {
  if (Array.isArray(schema)) return schema.map((one) => marked(one, name));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { properties, items, $ref, ...rest } = schema as Partial<Record<string, unknown>>;
  const own = Object.entries(properties ?? {}).map(([key, one]) => [key, marked(one, `${name}.${key}`)]);
  return {
    ...Object.fromEntries(Object.entries(rest).map(([key, one]) => [key, marked(one, name)])),
    ...(properties === undefined ? {} : { properties: Object.fromEntries(own), places: placesOf(own) }),
    ...(items === undefined ? {} : { items: marked(items, `${name}[]`) }),
    ...(typeof $ref === 'string' ? { $ref: $ref.replace(REFERENCE, ENTITIES), taken: name } : {}),
  };
}

function placesOf(schema: unknown): string[] {
  return [...JSON.stringify(schema).matchAll(/"taken":"([^"]+)"/g)].map((match) => match[1] ?? '');
}

/** Returns the schemas without room for fields that they do not name. */
export function closed<T>(schemas: T): T {
  const copy = JSON.parse(JSON.stringify(schemas)) as T;
  const close = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const inner of Object.values(value)) close(inner);
    if ('properties' in value && 'type' in value && value.type === 'object')
      Object.assign(value, { additionalProperties: false });
  };
  close(copy);
  return copy;
}
