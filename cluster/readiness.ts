/** Readiness of a node to serve; `why` names the missing condition, for the health page and the log. */
export type Readiness = { readonly ready: true } | { readonly ready: false; readonly why: string };
