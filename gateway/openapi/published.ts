import type { TSchema } from '@sinclair/typebox';

/** A JSON schema (2020-12), as in OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;
/** Schemas of entities by name. */
export type Components = Record<string, JsonSchema>;

/** Location of entity schemas in a document. */
export const REFERENCE = '#/components/schemas/';

/** Returns a schema with references in place of the entities in it, which are added to the components. */
export function published(schema: TSchema, components: Components): JsonSchema {
  return referred(schema, components) as JsonSchema;
}

function referred(value: unknown, components: Components): unknown {
  if (Array.isArray(value)) return value.map((one) => referred(one, components));
  if (typeof value !== 'object' || value === null) return value;
  const { $id, ...own } = value as Readonly<Record<string, unknown>>;
  if (typeof $id !== 'string') {
    return Object.fromEntries(
      Object.entries(own).map(([key, inner]) =>
        // Within itself, an entity is named without the place of the schemas.
        key === '$ref' ? [key, `${REFERENCE}${inner}`] : [key, referred(inner, components)],
      ),
    );
  }
  if (components[$id] === undefined) {
    components[$id] = {};
    components[$id] = referred(own, components) as JsonSchema;
  }
  return { $ref: `${REFERENCE}${$id}` };
}
