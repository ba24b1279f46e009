import type { AccountList } from '../../../proto/gen/types.js';

/** The REST API's List. */
export interface List {
  readonly id: string;
  readonly title: string;
  readonly replies_policy: string;
  readonly exclusive: boolean;
}

export function renderList({ id, title, repliesPolicy, exclusive }: AccountList): List {
  return { id, title, replies_policy: repliesPolicy, exclusive };
}
