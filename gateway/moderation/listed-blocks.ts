import { eachBounded } from '../../actors/domain/each-bounded.js';
import { isProblem, type Problem, problem } from '../../actors/domain/problem.js';
import { COMMENT_CHARS_MAX, type ListedBlock, SEVERITIES } from '../../actors/domain/servers/block-list.js';
import { domainName } from '../../actors/domain/servers/domain-name.js';
import { protectedDomains } from '../../actors/domain/servers/list-changes.js';
import { ENTRIES_MAX } from '../../actors/instance/entries.js';
import type { Services } from '../http/services.js';
import { type EntryChange, putEntry } from '../settings/changes.js';

/** Largest file: ten times the largest public lists. */
export const BLOCK_LIST_BYTES_MAX = 10_000_000;
/** Commands to the instance at a time: its journal writes those that wait as one batch. */
const AT_ONCE = 16;
/** Longest part of a line that a report about skipped ones repeats. */
const SHOWN_CHARS_MAX = 300;

/** Returns the refusal of a list with more domains than there can be limits. None of it takes effect. */
export const tooMany = (listed: readonly ListedBlock[]): Problem | undefined =>
  listed.length > ENTRIES_MAX ? problem('invalid', `The list names more than ${ENTRIES_MAX} domains`) : undefined;

/** Returns all limits of domains, as lists of blocks contain them. @throws Unavailable */
export async function listedBlocks({ entries }: Pick<Services, 'entries'>): Promise<ListedBlock[]> {
  return (await entries.of('domain_blocks')).flatMap(({ key, domain }) => {
    if (domain === undefined) return [];
    const { severity, rejectMedia, rejectReports, publicComment, obfuscate } = domain;
    return [{ domain: key, severity, rejectMedia, rejectReports, publicComment, obfuscate }];
  });
}

/** Returns the domains that no list may limit: of this server, allowed ones, and those above them. @throws Unavailable */
export async function unlimitedDomains({
  entries,
  instance,
}: Pick<Services, 'entries' | 'instance'>): Promise<ReadonlySet<string>> {
  const { host, hostname } = new URL(instance.baseUrl);
  const ours = [instance.domain, host, hostname].flatMap((one) => domainName(one) ?? []);
  return protectedDomains([...ours, ...(await entries.of('domain_allows')).map(({ key }) => key)]);
}

/**
 * Adds limits, as decisions of `by` (an account's id, or empty for the operator), to domains that nobody here has
 * limited. A limit that a subscribed list brought gives way. Our own domain, allowed ones, and lines without a domain or
 * a known severity are skipped. Returns the first refusal; what was added before it stays. @throws Unavailable
 */
export async function addListedBlocks(
  services: Pick<Services, 'askInstance' | 'entries' | 'instance'>,
  by: string,
  blocks: readonly ListedBlock[],
): Promise<{ readonly added: number; readonly skipped: readonly string[] } | Problem> {
  const known = await services.entries.of('domain_blocks');
  const decided = new Set(known.flatMap(({ key, domain }) => (domain?.lists.length === 0 ? [key] : [])));
  const isProtected = await unlimitedDomains(services);
  const wanted = new Map<string, ListedBlock>();
  const skipped: string[] = [];
  for (const block of blocks) {
    const key = domainName(String(block.domain));
    const isFree = key !== undefined && !isProtected.has(key) && !decided.has(key) && !wanted.has(key);
    if (!isFree || !SEVERITIES.includes(block.severity)) skipped.push(String(block.domain).slice(0, SHOWN_CHARS_MAX));
    else wanted.set(key, block);
  }
  const refusal = await putAll(
    services,
    by,
    [...wanted].map(([key, block]) => ({ collection: 'domain_blocks', key, domain: limitOf(block) })),
  );
  return refusal ?? { added: wanted.size, skipped };
}

/**
 * Allows domains, as decisions of `by`. Those that are allowed already, and lines without a domain, are skipped. Returns
 * the first refusal; what was added before it stays. @throws Unavailable
 */
export async function addListedAllows(
  services: Pick<Services, 'askInstance' | 'entries'>,
  by: string,
  domains: readonly string[],
): Promise<{ readonly added: number; readonly skipped: readonly string[] } | Problem> {
  const known = new Set((await services.entries.of('domain_allows')).map(({ key }) => key));
  const wanted = new Set<string>();
  const skipped: string[] = [];
  for (const domain of domains) {
    const key = domainName(domain);
    if (key === undefined || known.has(key) || wanted.has(key)) skipped.push(domain.slice(0, SHOWN_CHARS_MAX));
    else wanted.add(key);
  }
  const changes = [...wanted].map((key) => ({ collection: 'domain_allows' as const, key, replace: true }));
  return (await putAll(services, by, changes)) ?? { added: wanted.size, skipped };
}

/** Writes entries, and returns the refusal that ended it. */
async function putAll(
  services: Pick<Services, 'askInstance'>,
  by: string,
  changes: readonly EntryChange[],
): Promise<Problem | undefined> {
  let refusal: Problem | undefined;
  await eachBounded(changes, AT_ONCE, async (change) => {
    if (refusal !== undefined) return;
    const made = await putEntry(services, by, change);
    if (isProblem(made)) refusal = made;
  });
  return refusal;
}

const limitOf = ({ severity, rejectMedia, rejectReports, publicComment, obfuscate }: ListedBlock) => ({
  severity,
  rejectMedia: rejectMedia === true,
  rejectReports: rejectReports === true,
  privateComment: '',
  publicComment: String(publicComment).slice(0, COMMENT_CHARS_MAX),
  obfuscate: obfuscate === true,
  lists: [],
});
