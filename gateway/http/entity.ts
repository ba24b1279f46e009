import { type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';

/** The TypeScript type of an entity, derived from its schema. Nobody changes an entity after it is rendered. */
export type Shape<S extends TSchema> = Unchanging<Static<S>>;
type Unchanging<T> = T extends object ? { readonly [K in keyof T]: Unchanging<T[K]> } : T;

/**
 * Declares an entity of the REST API by the name that the OpenAPI document uses. The schema is the only description: the
 * type of the rendered object and the schema of the answer come from it. No request is checked against it.
 */
export const entity = <P extends TProperties>(name: string, fields: P): TObject<P> =>
  Type.Object(fields, { $id: name });

/** Declares an entity that has all fields of another one, and some more. */
export const extended = <P extends TProperties, M extends TProperties>(
  name: string,
  { properties }: TObject<P>,
  more: M,
): TObject<P & M> => entity(name, { ...properties, ...more }) as unknown as TObject<P & M>;

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

/** One of these words. Stored records contain them as texts, so the type is not narrower. */
export const oneOf = (...words: readonly string[]) => Type.Unsafe<string>({ type: 'string', enum: words });

/** An absolute address, or an empty text if it is unknown. */
export const uri = () => Type.String({ pattern: '^$|^[a-z][a-z0-9+.-]*:' });

/** A time in ISO 8601. */
export const time = () => Type.String({ format: 'date-time' });

/** A day: `2026-11-23`. */
export const day = () => Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' });

export const VISIBILITIES = ['public', 'unlisted', 'private', 'direct'] as const;
