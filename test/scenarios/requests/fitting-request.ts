import type { Person } from '../cluster/people.js';
import type { Place } from '../worlds/node-address.js';

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

/** Fitting requests by the name of their route. */
export type Requests = Readonly<Record<string, () => Promise<Fitting>>>;

export interface App {
  readonly client_id: string;
  readonly client_secret: string;
}

/** The people and data that fitting requests are about. */
export interface Cast {
  readonly server: Place;
  readonly url: string;
  readonly viewer: Person;
  readonly other: Person;
  readonly third: Person;
  readonly foe: Person;
  /** A status of `other`. */
  readonly statusId: string;
  readonly application: App;
}
