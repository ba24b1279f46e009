/** Tells if a node can serve; `why` says what is missing, for the health page and the log. */
export type Readiness = { readonly ready: true } | { readonly ready: false; readonly why: string };
