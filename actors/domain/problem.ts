/** Codes of expected refusals. The gateway's one error table maps each to an HTTP status. */
export type ProblemCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'unconfirmed'
  | 'not_found'
  | 'gone'
  | 'conflict'
  | 'invalid'
  | 'too_large'
  | 'unsupported_type'
  | 'limit_reached'
  | 'rate_limited'
  | 'unavailable';

/** One field's error in a validation problem; `error` is one of the API's codes (ERR_TAKEN, ERR_BLANK, …). */
export interface FieldError {
  readonly error: string;
  readonly description: string;
}

/** An expected refusal: returned, never thrown. `detail` is safe for clients. */
export interface Problem {
  readonly problem: ProblemCode;
  readonly detail: string;
  readonly fields?: Readonly<Record<string, readonly FieldError[]>>;
}

export function problem(
  code: ProblemCode,
  detail: string,
  fields?: Readonly<Record<string, readonly FieldError[]>>,
): Problem {
  return fields === undefined ? { problem: code, detail } : { problem: code, detail, fields };
}

/**
 * Returns the problem of one invalid field in the form that clients show, as in `Validation failed: Endpoint is not a
 * valid URL`.
 */
export const invalidField = (field: string, label: string, description = 'is invalid'): Problem =>
  problem('invalid', `Validation failed: ${label} ${description}`, {
    [field]: [{ error: 'ERR_INVALID', description }],
  });

export function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'problem' in value && 'detail' in value;
}

/**
 * A required component cannot answer now: the store, the bus, the owner of a shard, a full mailbox. Adapters and the
 * runtime throw it. Callers retry within a budget, then answer 503 with Retry-After.
 */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable';
}

/** Something must wait, and whoever throws this knows for how long and has logged it. */
export class Deferred extends Unavailable {
  override readonly name: string = 'Deferred';
  constructor(
    message: string,
    /** Pause before the next attempt. */
    readonly afterMs: number,
  ) {
    super(message);
  }
}

/**
 * Another service refuses a setting, such as a password, a token or the name of a data centre. Waiting does not help;
 * the message says what to correct.
 */
export class Misconfigured extends Error {
  override readonly name = 'Misconfigured';
}

/** A write that certainly has not happened and will not happen. */
export class WriteRefused extends Unavailable {}
