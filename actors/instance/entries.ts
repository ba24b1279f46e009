import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import { givesWay, isForeign, listsToTell, withLifted } from '../domain/servers/listed-limits.js';
import type { Slice } from '../runtime/slice.js';
import { LazyMap } from '../runtime/state/lazy-collections.js';

export interface Commands {
  putEntry: { in: P.InstancePutEntry; out: P.InstanceEntry };
  removeEntry: { in: P.InstanceRemoveEntry; out: P.InstanceEntry };
}
export interface Events {
  entryPut: P.InstanceEntryPut;
  entryRemoved: P.InstanceEntryRemoved;
  /** A person ended a limit that a block list had brought. */
  limitLifted: P.InstanceLimitLifted;
}
export interface State {
  /** Entries by collection, then by id. */
  readonly entries: LazyMap<string, LazyMap<string, P.InstanceEntry>>;
}

/** The collections of the instance. */
export const COLLECTIONS = [
  'rules',
  'announcements',
  'settings',
  'terms',
  'domain_allows',
  'domain_blocks',
  'email_domain_blocks',
  'ip_blocks',
  'canonical_email_blocks',
  'trends',
  'emojis',
  'keys',
  'relays',
  'block_lists',
] as const;
export type Collection = (typeof COLLECTIONS)[number];

/** Readers read a whole collection in one range (store/port.ts RANGE_LIMIT_MAX). */
export const ENTRIES_MAX = 5_000;

const entry = codec('murmuration.instance.Entry');

/** The instance's settings and lists. Each collection is small enough to be read whole. */
export const entries: Slice<State, Commands, Events> = {
  decide: {
    putEntry(state, { entry: given, by, replace }, { nowMs, newId }) {
      if (given === undefined || !isCollection(given.collection)) return problem('not_found', 'Record not found');
      const held = state.entries.get(given.collection) ?? new LazyMap<string, P.InstanceEntry>();
      const same = given.key === '' ? undefined : [...held.values()].find((one) => one.key === given.key);
      const known = given.id === '' ? (replace || givesWay(same, given) ? same : undefined) : held.get(given.id);
      if (given.id !== '' && known === undefined) return problem('not_found', 'Record not found');
      // An instance key never changes. If two nodes create one at the same time, both get the first.
      if (same !== undefined && given.collection === 'keys' && known === undefined) return { events: [], reply: same };
      if (same !== undefined && same.id !== known?.id) return taken(same);
      if (known !== undefined && isForeign(known, given)) return taken(known);
      if (known === undefined && held.size >= ENTRIES_MAX)
        return problem('limit_reached', `There may be ${ENTRIES_MAX} of them at most`);
      const id = known?.id ?? newId();
      const made = { ...given, id, atMs: known?.atMs ?? nowMs, updatedAtMs: nowMs };
      if (known !== undefined && isSame(known, made)) return { events: [], reply: known };
      return { events: [{ type: 'entryPut', entry: made, by, auditId: newId() }], reply: made };
    },
    removeEntry(state, { collection, id, by }, { nowMs, newId }) {
      const held = state.entries.get(collection)?.get(id);
      if (held === undefined) return problem('not_found', 'Record not found');
      const { key, relay } = held;
      const event = {
        collection,
        id,
        by,
        auditId: newId(),
        atMs: nowMs,
        key,
        ...(relay === undefined ? {} : { relay }),
      };
      const lifted = listsToTell(held, by).map((list) => ({ type: 'limitLifted' as const, list, domain: key }));
      return { events: [{ type: 'entryRemoved', ...event }, ...lifted], reply: held };
    },
  },
  apply: {
    entryPut(state, { entry: put }) {
      if (put === undefined) return;
      const held = state.entries.get(put.collection) ?? new LazyMap<string, P.InstanceEntry>();
      held.set(put.id, put);
      state.entries.set(put.collection, held);
    },
    entryRemoved: (state, { collection, id }) => void state.entries.get(collection)?.delete(id),
    limitLifted: (state, { list, domain }) => withLifted(state.entries.get('block_lists'), list, domain),
  },
  commands: {
    putEntry: { in: codec('murmuration.instance.PutEntry'), out: entry, repeats: 'keyed', local: true },
    removeEntry: { in: codec('murmuration.instance.RemoveEntry'), out: entry, repeats: 'keyed', local: true },
  },
  events: {
    entryPut: { codec: codec('murmuration.instance.EntryPut'), invalidates: true },
    entryRemoved: { codec: codec('murmuration.instance.EntryRemoved'), invalidates: true },
    limitLifted: { codec: codec('murmuration.instance.LimitLifted'), invalidates: true },
  },
};

const isCollection = (name: string): name is Collection => (COLLECTIONS as readonly string[]).includes(name);

function isSame(one: P.InstanceEntry, other: P.InstanceEntry): boolean {
  const bytes = (value: P.InstanceEntry) => Buffer.from(entry.encode({ ...value, updatedAtMs: 0 }));
  return bytes(one).equals(bytes(other));
}

/** Names of the keys of collections whose keys are no domains. */
const UNIQUE_FIELDS: Readonly<Record<string, string>> = {
  ip_blocks: 'ip',
  canonical_email_blocks: 'email',
  relays: 'address',
  block_lists: 'address',
};

function taken({ collection }: P.InstanceEntry) {
  const field = UNIQUE_FIELDS[collection] ?? 'domain';
  const error = { error: 'ERR_TAKEN', description: 'has already been taken' };
  const label = field.charAt(0).toUpperCase() + field.slice(1);
  return problem('invalid', `Validation failed: ${label} has already been taken`, { [field]: [error] });
}
