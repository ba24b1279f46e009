/** A request that its route answers with success; hostile values are inserted into it. */
export interface Fitting {
  readonly id?: string;
  /** Values of the path's parameters after the first. */
  readonly rest?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Replaces `body` for values that JSON cannot represent. */
  readonly form?: { readonly type: string; readonly bytes: Buffer };
  /** Replaces the viewer's token. */
  readonly token?: string | undefined;
}
