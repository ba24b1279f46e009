import type { VNode } from 'preact';
import type { Texts } from '../texts/index.js';

/** A JSON schema, as far as the reference of the API shows it. */
export interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly FieldSchema[];
  readonly oneOf?: readonly FieldSchema[];
  readonly allOf?: readonly FieldSchema[];
  readonly items?: FieldSchema;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly default?: unknown;
}

interface Shown {
  readonly schema: FieldSchema;
  readonly texts: Texts['reference'];
}

/** Lists the fields of an object with types and bounds, or shows the type of anything else. */
export function Fields({ schema, texts }: Shown): VNode {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return <Kind schema={schema} texts={texts} />;
  return (
    <ul class="fields">
      {fields.map(([name, own]) => (
        <li key={name}>
          <code>{name}</code> <Kind schema={own} texts={texts} />{' '}
          <span class="soft small">
            {[...(schema.required?.includes(name) ? [texts.required] : []), ...boundsOf(own, texts)].join(', ')}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Shows the type of a value. Entities are links. */
export function Kind({ schema, texts }: Shown): VNode {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1);
    return <a href={`/api/docs/entities#${name}`}>{name}</a>;
  }
  const parts = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (parts !== undefined) {
    return (
      <>
        {parts.map((part, at) => (
          <>
            {at > 0 && ` ${texts.or} `}
            <Kind schema={part} texts={texts} />
          </>
        ))}
      </>
    );
  }
  if (schema.items !== undefined) {
    return (
      <>
        {texts.list} <Kind schema={schema.items} texts={texts} />
      </>
    );
  }
  return <>{plainKind(schema, texts)}</>;
}

function plainKind(schema: FieldSchema, texts: Texts['reference']): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(` ${texts.or} `);
  if (schema.properties !== undefined) return `${texts.object} (${Object.keys(schema.properties).join(', ')})`;
  return schema.type === undefined ? texts.any : [schema.type].flat().join(` ${texts.or} `);
}

function boundsOf(schema: FieldSchema, texts: Texts['reference']): readonly string[] {
  const value = between(schema.minimum, schema.maximum, texts);
  const length = between(schema.minLength, schema.maxLength, texts);
  const entries = between(schema.minItems, schema.maxItems, texts);
  return [
    ...(value === undefined ? [] : [value]),
    ...(length === undefined ? [] : [texts.characters(length)]),
    ...(entries === undefined ? [] : [texts.entries(entries)]),
    ...(schema.pattern === undefined ? [] : [texts.pattern(schema.pattern)]),
    ...(schema.default === undefined ? [] : [texts.standard(JSON.stringify(schema.default))]),
  ];
}

function between(from: number | undefined, to: number | undefined, texts: Texts['reference']): string | undefined {
  if (from !== undefined && to !== undefined) return texts.range(String(from), String(to));
  if (from !== undefined) return texts.atLeast(String(from));
  return to === undefined ? undefined : texts.atMost(String(to));
}
