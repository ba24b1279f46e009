import type { InstanceEntry } from '../../../proto/gen/types.js';

/** Lifted domains that a list's entry has: as many as there may be limits. The oldest go. */
const LIFTED_MAX = 5_000;

/** Returns the ids of the block lists that brought a limit; none for an operator's decision. */
export const listsOf = (entry: InstanceEntry | undefined): readonly string[] => entry?.domain?.lists ?? [];

/** Returns true if a person decides about a domain that until now only block lists limited. */
export const givesWay = (before: InstanceEntry | undefined, next: InstanceEntry): boolean =>
  listsOf(before).length > 0 && listsOf(next).length === 0;

/** Returns true if a block list would change an operator's decision. */
export const isForeign = (before: InstanceEntry, next: InstanceEntry): boolean =>
  listsOf(before).length === 0 && listsOf(next).length > 0;

/** Returns the lists that must not bring a removed limit back: all of them, unless one of them removes it. */
export function listsToTell(removed: InstanceEntry, by: string): readonly string[] {
  const lists = listsOf(removed);
  return lists.includes(by) ? [] : lists;
}

/** Records in a list's entry that a person has lifted the limit of a domain. */
export function withLifted(held: Map<string, InstanceEntry> | undefined, list: string, domain: string): void {
  const entry = held?.get(list);
  if (entry?.blockList === undefined) return;
  const lifted = [...entry.blockList.lifted.filter((one) => one !== domain), domain].slice(-LIFTED_MAX);
  held?.set(list, { ...entry, blockList: { ...entry.blockList, lifted } });
}
