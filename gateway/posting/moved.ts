import { type Problem, problem } from '../../actors/domain/problem.js';
import { accounts } from '../../store/tables.js';
import type { Services } from '../http/services.js';
import { type Soon, soon } from '../paging/soon.js';

/**
 * Returns the refusal for an account that has moved: it neither posts nor reblogs nor edits. Source: Mastodon
 * User#functional?, which refuses all its requests.
 */
export function movedRefusal({ tables }: Pick<Services, 'tables'>, viewer: string): Soon<Problem | undefined> {
  const found = tables.peekId?.(accounts, viewer) ?? tables.get(accounts, { account: viewer });
  return soon(found, (record) => (record?.movedTo === undefined ? undefined : hasMoved()));
}

const hasMoved = (): Problem => problem('forbidden', 'This account has moved: it cannot reblog or edit');
