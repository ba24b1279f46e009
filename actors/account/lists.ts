import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { edgePage } from '../domain/edge-page.js';
import { type Problem, problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import { LazyMap } from '../runtime/state/lazy-collections.js';
import type { PeopleList, RelationState } from './relations.js';

export interface Commands {
  createList: { in: P.AccountCreateList; out: P.AccountList };
  updateList: { in: P.AccountUpdateList; out: P.AccountList };
  deleteList: { in: P.AccountListId; out: P.AccountEmpty };
  addToList: { in: P.AccountListAccounts; out: P.AccountEmpty };
  removeFromList: { in: P.AccountListAccounts; out: P.AccountEmpty };
  lists: { in: P.AccountListsWith; out: P.AccountLists };
  list: { in: P.AccountListId; out: P.AccountList };
  listMembers: { in: P.AccountListMembersPage; out: P.AccountEdgePage };
}
export interface Events {
  listCreated: P.AccountListCreated;
  listUpdated: P.AccountListUpdated;
  listDeleted: P.AccountListDeleted;
  listMembersAdded: P.AccountListMembersAdded;
  listMembersRemoved: P.AccountListMembersRemoved;
}

/** Source: Mastodon List::PER_ACCOUNT_LIMIT. */
export const LISTS_MAX = 50;
/**
 * Members of all of an account's lists together. Bounds one activation's memory (some 100 bytes each) and the size of
 * its relations as a message. It is more than twice the number of accounts that one can follow.
 */
export const LIST_MEMBERSHIPS_MAX = 20_000;
/** Source: Mastodon List::TITLE_LENGTH_LIMIT. */
export const LIST_TITLE_CHARS_MAX = 256;
/** The replies that a list's timeline shows: none, those to members of the list, or those to followed accounts. */
export const REPLIES_POLICIES = ['none', 'list', 'followed'] as const;

const missing = (): Problem => problem('not_found', 'Record not found');

/** Lists of followed accounts, each with a timeline of its own. Only the owner sees them. */
export const lists: Slice<RelationState, Commands, Events> = {
  decide: {
    createList(state, { title, repliesPolicy, exclusive }, { newId }) {
      if (state.lists.size >= LISTS_MAX)
        return problem('limit_reached', 'Validation failed: You have reached the maximum number of lists');
      const refused = refusedTitle(title);
      if (refused !== undefined) return refused;
      const list = { id: newId(), title: title.trim(), repliesPolicy, exclusive };
      return { events: [{ type: 'listCreated', ...list }], reply: list };
    },
    updateList(state, { id, title, repliesPolicy, exclusive }) {
      const known = state.lists.get(id);
      if (known === undefined) return missing();
      const refused = title === undefined ? undefined : refusedTitle(title);
      if (refused !== undefined) return refused;
      const list = {
        id,
        title: title?.trim() ?? known.title,
        repliesPolicy: repliesPolicy ?? known.repliesPolicy,
        exclusive: exclusive ?? known.exclusive,
      };
      const isSame =
        list.title === known.title && list.repliesPolicy === known.repliesPolicy && list.exclusive === known.exclusive;
      return { events: isSame ? [] : [{ type: 'listUpdated', ...list }], reply: list };
    },
    deleteList: (state, { id }) =>
      state.lists.has(id) ? { events: [{ type: 'listDeleted', id }], reply: {} } : missing(),
    addToList(state, { id, accounts }, { self, newId }) {
      const list = state.lists.get(id);
      const wanted = [...new Set(accounts)];
      if (list === undefined || !wanted.every((account) => account === self || state.following.has(account)))
        return missing();
      if (wanted.some((account) => list.members.has(account))) return taken();
      if (memberships(state) + wanted.length > LIST_MEMBERSHIPS_MAX)
        return problem(
          'limit_reached',
          `Validation failed: Lists cannot have more than ${LIST_MEMBERSHIPS_MAX} members`,
        );
      const members = wanted.map((account) => ({ account, edgeId: newId() }));
      return { events: members.length > 0 ? [{ type: 'listMembersAdded', id, members }] : [], reply: {} };
    },
    removeFromList(state, { id, accounts }) {
      const list = state.lists.get(id);
      if (list === undefined) return missing();
      const gone = [...new Set(accounts)].filter((account) => list.members.has(account));
      return { events: gone.length > 0 ? [{ type: 'listMembersRemoved', id, accounts: gone }] : [], reply: {} };
    },
    lists(state, { account }) {
      const found = [...state.lists].filter(([, { members }]) => account === undefined || members.has(account));
      return { events: [], reply: { lists: found.map(([id, list]) => shown(id, list)) } };
    },
    list(state, { id }) {
      const list = state.lists.get(id);
      return list === undefined ? missing() : { events: [], reply: shown(id, list) };
    },
    listMembers(state, { id, bounds = { upwards: false, limit: 0 } }) {
      const list = state.lists.get(id);
      if (list === undefined) return missing();
      const edges = Array.from(list.members, ([account, edgeId]) => ({ account, edgeId, untilMs: 0 }));
      return { events: [], reply: edgePage(edges, bounds) };
    },
  },
  apply: {
    listCreated: (state, { id, title, repliesPolicy, exclusive }) =>
      void state.lists.set(id, { title, repliesPolicy, exclusive, members: new LazyMap() }),
    listUpdated(state, { id, title, repliesPolicy, exclusive }) {
      const members = state.lists.get(id)?.members ?? new LazyMap<string, string>();
      state.lists.set(id, { title, repliesPolicy, exclusive, members });
    },
    listDeleted: (state, { id }) => void state.lists.delete(id),
    listMembersAdded(state, { id, members }) {
      for (const { account, edgeId } of members) state.lists.get(id)?.members.set(account, edgeId);
    },
    listMembersRemoved(state, { id, accounts }) {
      for (const account of accounts) state.lists.get(id)?.members.delete(account);
    },
  },
  commands: {
    createList: {
      in: codec('murmuration.account.CreateList'),
      out: codec('murmuration.account.List'),
      repeats: 'keyed',
      local: true,
    },
    updateList: {
      in: codec('murmuration.account.UpdateList'),
      out: codec('murmuration.account.List'),
      repeats: 'idempotent',
      local: true,
    },
    deleteList: {
      in: codec('murmuration.account.ListId'),
      out: codec('murmuration.account.Empty'),
      repeats: 'keyed',
      local: true,
    },
    addToList: {
      in: codec('murmuration.account.ListAccounts'),
      out: codec('murmuration.account.Empty'),
      repeats: 'keyed',
      local: true,
    },
    removeFromList: {
      in: codec('murmuration.account.ListAccounts'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
    },
    lists: {
      in: codec('murmuration.account.ListsWith'),
      out: codec('murmuration.account.Lists'),
      repeats: 'query',
      local: true,
    },
    list: {
      in: codec('murmuration.account.ListId'),
      out: codec('murmuration.account.List'),
      repeats: 'query',
      local: true,
    },
    listMembers: {
      in: codec('murmuration.account.ListMembersPage'),
      out: codec('murmuration.account.EdgePage'),
      repeats: 'query',
      local: true,
    },
  },
  events: {
    listCreated: { codec: codec('murmuration.account.ListCreated'), invalidates: false, changesRelations: true },
    listUpdated: { codec: codec('murmuration.account.ListUpdated'), invalidates: true, changesRelations: true },
    listDeleted: {
      codec: codec('murmuration.account.ListDeleted'),
      invalidates: true,
      forgets: true,
      changesRelations: true,
    },
    listMembersAdded: {
      codec: codec('murmuration.account.ListMembersAdded'),
      invalidates: false,
      changesRelations: true,
    },
    listMembersRemoved: {
      codec: codec('murmuration.account.ListMembersRemoved'),
      invalidates: true,
      changesRelations: true,
    },
  },
};

/** Removes an account that is no longer followed from all lists. */
export function leaveLists(state: RelationState, account: string): void {
  for (const { members } of state.lists.values()) members.delete(account);
}

function refusedTitle(title: string): Problem | undefined {
  if (title.trim() === '') {
    const error = { error: 'ERR_BLANK', description: "can't be blank" };
    return problem('invalid', "Validation failed: Title can't be blank", { title: [error] });
  }
  if (title.length <= LIST_TITLE_CHARS_MAX) return undefined;
  const error = { error: 'ERR_TOO_LONG', description: `is too long (maximum is ${LIST_TITLE_CHARS_MAX})` };
  return problem('invalid', `Validation failed: Title ${error.description}`, { title: [error] });
}

function taken(): Problem {
  const error = { error: 'ERR_TAKEN', description: 'has already been taken' };
  return problem('invalid', 'Validation failed: Account has already been taken', { account: [error] });
}

function memberships(state: Readonly<RelationState>): number {
  let count = 0;
  for (const { members } of state.lists.values()) count += members.size;
  return count;
}

const shown = (id: string, { title, repliesPolicy, exclusive }: PeopleList): P.AccountList => ({
  id,
  title,
  repliesPolicy,
  exclusive,
});
