import type { ReadTables, Tables } from '../../../store/port.js';
import { accounts as accountTable, statuses, tokens } from '../../../store/tables.js';
import type { Ledger } from '../ledger.js';
import type { World } from '../world.js';
import type { Ended } from './invariants.js';
import type { Violations } from './violations.js';

/** Between two looks at revoked tokens. */
const LOOK_MS = 20;

/**
 * Looks all the time whether a token counts again whose revocation was acknowledged: every node reads the row on each
 * request (ADR 14). An acknowledgement waits at most five seconds for the row (ADR 4), so the look begins once it is gone.
 */
export async function watchTokens(
  world: World,
  shared: Pick<ReadTables, 'get'>,
  { tokens: told }: Ledger,
  violations: Violations,
  untilMs: number,
): Promise<void> {
  const gone = new Set<string>();
  while (world.now < untilMs) {
    for (const [hash, { known }] of told) {
      if (known !== 'no') continue;
      if ((await shared.get(tokens, { hash })) === undefined) gone.add(hash);
      else if (gone.has(hash)) violations.report('tokensAreAsTold', `${world.now.toFixed(0)} ms: ${hash} counts again`);
    }
    await world.sleep(LOOK_MS);
  }
}

/** Judges rows against the replies to owners of accounts. */
export async function judgeOwners(ended: Ended): Promise<void> {
  await votesAreCounted(ended);
  await pinsAreAsTold(ended);
  await tokensAreAsTold(ended);
}

/** A token counts from when it was acknowledged until it is revoked. */
async function tokensAreAsTold({ shared, ledger, violations }: Ended): Promise<void> {
  for (const [hash, { known }] of ledger.tokens) {
    const counts = (await shared.get(tokens, { hash })) !== undefined;
    if (known !== 'unknown' && counts !== (known === 'yes'))
      violations.report('tokensAreAsTold', `${hash}: told ${known}, and it ${counts ? 'counts' : 'does not count'}`);
  }
}

/** The account's row has each pinned status once, and none that was unpinned. */
async function pinsAreAsTold({ shared, ledger, violations }: Ended): Promise<void> {
  for (const [pair, known] of ledger.pins) {
    const [account = '', status = ''] = pair.split('|');
    if (known === 'unknown' || ledger.deleted.has(status)) continue;
    const pinned = (await shared.get(accountTable, { account }))?.pinnedIds ?? [];
    const times = pinned.filter((id) => id === status).length;
    if (times !== (known === 'yes' ? 1 : 0))
      violations.report('pinsAreAsTold', `${account} was told ${known} and has ${status} pinned ${times} times`);
  }
}

/** Each option has one vote of each account with an acknowledged vote, and at most one of each that tried. */
async function votesAreCounted({ shared, ledger, violations }: Ended): Promise<void> {
  for (const { id } of ledger.polls) {
    const poll = await pollOf(shared, id);
    if (poll === undefined) {
      violations.report('votesAreCounted', `poll ${id} was acknowledged and is gone`);
      continue;
    }
    const cast = [...ledger.votes].flatMap(([pair, vote]) => (pair.endsWith(`|${id}`) ? [vote] : []));
    for (const [option, { votes }] of poll.options.entries()) {
      const tried = cast.filter(({ choice }) => choice === option);
      const told = tried.filter(({ known }) => known === 'yes').length;
      if (votes < told || votes > tried.length)
        violations.report(
          'votesAreCounted',
          `option ${option} of ${id} has ${votes} votes of ${told} to ${tried.length}`,
        );
    }
    const all = poll.options.reduce((sum, { votes }) => sum + votes, 0);
    if (poll.voters !== all)
      violations.report('votesAreCounted', `${id} counts ${poll.voters} voters, has ${all} votes`);
  }
}

const pollOf = async (shared: Tables, status: string) => (await shared.get(statuses, { status }))?.poll;
