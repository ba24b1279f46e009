import type { InstanceDomainLimit, InstanceEntry } from '../../../proto/gen/types.js';
import { type ListedBlock, SEVERITIES } from './block-list.js';
import { domainName } from './domain-name.js';

/** Removals of one reading that need no operator: fewer are an edit of the list, more may be a broken file. */
const REMOVED_UNSEEN_MAX = 10;

/** Returns the domains that no list may limit: each of `names`, and the domains above it, whose limits include it. */
export function protectedDomains(names: Iterable<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const name of names)
    for (let rest = name; rest !== ''; rest = rest.includes('.') ? rest.slice(rest.indexOf('.') + 1) : '')
      found.add(rest);
  return found;
}

/** A limit to write. */
export interface LimitChange {
  /** Id of the entry here; absent: a new one. */
  readonly id?: string;
  readonly key: string;
  readonly domain: InstanceDomainLimit;
}

/** The difference between a list and the limits here that came from it. */
export interface ListChanges {
  readonly added: readonly LimitChange[];
  /** Limits that the list gives otherwise now. */
  readonly changed: readonly LimitChange[];
  /** Limits that stay as they are, with or without this list as a further source. */
  readonly shared: readonly LimitChange[];
  /** Limits that came from this list alone, which does not have them any more. */
  readonly removed: readonly InstanceEntry[];
  /** Rows without effect: an operator limits or has freed the domain, it is protected, or the row is unusable. */
  readonly skipped: number;
}

/** Domains that a reading of a list leaves alone. */
export interface ListBounds {
  /** Domains that no list may limit, see `protectedDomains`. */
  readonly isProtected: ReadonlySet<string>;
  /** Domains whose limit an operator has ended. */
  readonly lifted: readonly string[];
}

/**
 * Compares a list with the limits here. Limits of an operator never change. Of several lists with the same domain, the
 * first one that brought it gives the limit. Pure.
 * @param list id of the subscription
 * @param known all limits here
 */
export function changesOf(
  list: string,
  blocks: readonly ListedBlock[],
  known: readonly InstanceEntry[],
  { isProtected, lifted }: ListBounds,
): ListChanges {
  const byKey = new Map(known.map((entry) => [entry.key, entry]));
  const freed = new Set(lifted);
  const listed = new Map<string, ListedBlock>();
  for (const block of blocks) {
    const key = domainName(block.domain);
    const isUsable = key !== undefined && SEVERITIES.includes(block.severity) && !listed.has(key);
    const isFree = isUsable && !isProtected.has(key) && !freed.has(key);
    if (isFree && byKey.get(key)?.domain?.lists.length !== 0) listed.set(key, block);
  }
  const added: LimitChange[] = [];
  const changed: LimitChange[] = [];
  const shared: LimitChange[] = [];
  for (const [key, block] of listed) {
    const here = byKey.get(key);
    const lists = here?.domain?.lists ?? [];
    if (here?.domain === undefined) added.push({ key, domain: limitOf(block, [list]) });
    else if (!lists.includes(list))
      shared.push({ id: here.id, key, domain: { ...here.domain, lists: [...lists, list] } });
    else if (lists[0] === list && !isSame(here.domain, limitOf(block, lists)))
      changed.push({ id: here.id, key, domain: limitOf(block, lists) });
  }
  const gone = endOf(
    list,
    known.filter(({ key }) => !listed.has(key)),
  );
  const skipped = blocks.length - listed.size;
  return { added, changed, shared: [...shared, ...gone.shared], removed: gone.removed, skipped };
}

/** Returns what ends when limits do not come from a list any more. Those of further lists stay. Pure. */
export function endOf(list: string, known: readonly InstanceEntry[]): Pick<ListChanges, 'shared' | 'removed'> {
  const shared: LimitChange[] = [];
  const removed: InstanceEntry[] = [];
  for (const entry of known) {
    const { id, key, domain } = entry;
    if (domain?.lists.includes(list) !== true) continue;
    const lists = domain.lists.filter((one) => one !== list);
    if (lists.length === 0) removed.push(entry);
    else shared.push({ id, key, domain: { ...domain, lists } });
  }
  return { shared, removed };
}

/** Returns true if a list lost so much that an operator has to look: more than half of what came from it. */
export function isShrunk(list: string, { removed }: ListChanges, known: readonly InstanceEntry[]): boolean {
  const before = known.filter(({ domain }) => domain?.lists.includes(list) === true).length;
  return removed.length > REMOVED_UNSEEN_MAX && removed.length * 2 > before;
}

const limitOf = (block: ListedBlock, lists: readonly string[]): InstanceDomainLimit => ({
  ...{ severity: block.severity, rejectMedia: block.rejectMedia, rejectReports: block.rejectReports },
  ...{ publicComment: block.publicComment, privateComment: '', obfuscate: block.obfuscate, lists },
});

const isSame = (one: InstanceDomainLimit, other: InstanceDomainLimit): boolean =>
  (Object.keys(other) as (keyof InstanceDomainLimit)[]).every(
    (field) => field === 'lists' || one[field] === other[field],
  );
