import type { en } from './en/index.js';

type Widened<T> = T extends (...given: infer A) => string
  ? (...given: A) => string
  : T extends string
    ? string
    : { readonly [K in keyof T]: Widened<T[K]> };

/** Texts of all pages in one language. Plain texts: pages escape them. */
export type Texts = Widened<typeof en>;
