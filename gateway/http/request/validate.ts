import type { TSchema } from '@sinclair/typebox';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { type FieldError, type Problem, problem } from '../../../actors/domain/problem.js';
import { coerce } from './coerce.js';

/** Returns the value with defaults, or the 422 that names its fault. */
export type Validate = (value: object) => { readonly value: unknown } | Problem;

/**
 * Compiles validators. One instance serves all routes, because ajv shares compiled schemas. Each schema is compiled on
 * first use: compiling all of them took a tenth of the start-up time. A test checks that each one compiles.
 */
export function validators(): (schema: TSchema) => Validate {
  let ajv: Ajv | undefined;
  return (schema) => {
    let check: ValidateFunction | undefined;
    return (value) => {
      ajv ??= makeAjv();
      check ??= ajv.compile(schema);
      const coerced = coerce(schema, value);
      return check(coerced) ? { value: coerced } : refusal(check.errors?.[0]);
    };
  };
}

function makeAjv(): Ajv {
  // allErrors stays off: its cost grows with what a client sends.
  const ajv = new Ajv({ useDefaults: true, verbose: true, strict: true, strictTypes: false, strictRequired: false });
  addFormats.default(ajv);
  ajv.addKeyword({ keyword: 'clamp', schemaType: 'boolean' });
  ajv.addKeyword({ keyword: 'lenient', schemaType: 'boolean' });
  // Refusal of a longer text, for fields that may be read longer than they may be written.
  ajv.addKeyword({ keyword: 'tooLong', schemaType: 'object' });
  // Further demands of the handler, for the OpenAPI document.
  ajv.addKeyword({ keyword: 'shown', schemaType: 'object' });
  // A file comes from the multipart parser, not from JSON, so the bytes must be a Uint8Array.
  ajv.addKeyword({ keyword: 'bytes', schemaType: 'boolean', validate: (_: boolean, data: unknown) => isFile(data) });
  return ajv;
}

function isFile(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'bytes' in data && data.bytes instanceof Uint8Array;
}

function refusal(error: ErrorObject | undefined): Problem {
  if (error === undefined) return problem('invalid', 'Validation failed');
  const field = fieldOf(error);
  const described = describe(error);
  const name = field.replaceAll('_', ' ');
  const title = name.charAt(0).toUpperCase() + name.slice(1);
  return problem('invalid', `Validation failed: ${title} ${described.description}`, { [field]: [described] });
}

/** Returns the refusal that a schema declares for texts that are too long. */
function tooLong({ keyword, parentSchema }: ErrorObject): { field: string; description: string } | undefined {
  return keyword === 'maxLength' ? parentSchema?.tooLong : undefined;
}

function fieldOf(error: ErrorObject): string {
  const own = tooLong(error);
  if (own !== undefined) return own.field;
  const missing =
    error.keyword === 'required' ? (error.params as { missingProperty: string }).missingProperty : undefined;
  const path = error.instancePath.split('/').slice(1);
  if (missing !== undefined) path.push(missing);
  // Positions within an array mean nothing to people.
  return path.filter((part) => !/^[0-9]+$/.test(part)).join('.') || 'base';
}

function describe(error: ErrorObject): FieldError {
  const params = error.params as { readonly limit?: number; readonly type?: string };
  switch (error.keyword) {
    case 'required':
      return { error: 'ERR_BLANK', description: "can't be blank" };
    case 'minLength':
    case 'minItems':
      return params.limit === 1
        ? { error: 'ERR_BLANK', description: "can't be blank" }
        : { error: 'ERR_TOO_SHORT', description: `is too short (minimum is ${params.limit})` };
    case 'maxLength':
    case 'maxItems':
      return {
        error: 'ERR_TOO_LONG',
        description: tooLong(error)?.description ?? `is too long (maximum is ${params.limit})`,
      };
    case 'enum':
    case 'const':
    case 'anyOf':
      return { error: 'ERR_INCLUSION', description: 'is not included in the list' };
    case 'minimum':
    case 'exclusiveMinimum':
      return { error: 'ERR_INVALID', description: `must be greater than or equal to ${params.limit}` };
    case 'maximum':
    case 'exclusiveMaximum':
      return { error: 'ERR_INVALID', description: `must be less than or equal to ${params.limit}` };
    case 'type':
      return { error: 'ERR_INVALID', description: `is not a valid ${params.type}` };
    default:
      return { error: 'ERR_INVALID', description: 'is invalid' };
  }
}
