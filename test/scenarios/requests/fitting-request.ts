/** A request that its route answers with success; what is hostile is put into it. */
export interface Fitting {
  readonly id?: string;
  /** Of the path's parameters behind the first. */
  readonly rest?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Instead of `body`, for what JSON cannot hold. */
  readonly form?: { readonly type: string; readonly bytes: Buffer };
  /** Instead of the viewer's. */
  readonly token?: string | undefined;
}
