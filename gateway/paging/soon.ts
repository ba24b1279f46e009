/**
 * A value or a promise of it. A value in memory needs no promise: awaiting one costs more than most of the work for an
 * answer.
 */
export type Soon<T> = T | Promise<T>;

/** Applies `next` to the value, synchronously if the value is present. */
export function soon<T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Combines several values, synchronously if all are present. */
export function together<T extends readonly unknown[]>(values: { readonly [I in keyof T]: Soon<T[I]> }): Soon<T> {
  return values.some((value) => value instanceof Promise)
    ? (Promise.all(values) as Promise<unknown> as Promise<T>)
    : (values as unknown as T);
}
