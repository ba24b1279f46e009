/**
 * A value that is there, or will be. What is in memory needs no promise: to wait for one costs more than most of what
 * is done to answer a request.
 */
export type Soon<T> = T | Promise<T>;

/** What `next` makes of the value: at once when it is there. */
export function soon<T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Several values, at once when all are there. */
export function together<T extends readonly unknown[]>(values: { readonly [I in keyof T]: Soon<T[I]> }): Soon<T> {
  return values.some((value) => value instanceof Promise)
    ? (Promise.all(values) as Promise<unknown> as Promise<T>)
    : (values as unknown as T);
}
