import type { StoreStatusRecord } from '../../../proto/gen/types.js';
import type { ReadTables } from '../../../store/port.js';
import { accountStatuses, statuses } from '../../../store/tables.js';
import type { AccountEvents, AccountState } from '../../account/slices.js';
import { eraOfId, eraOfMs, makeId } from '../../domain/ids.js';
import { WORD_BUCKET_MS, WORD_BUCKETS_MAX } from '../../domain/text/words.js';
import type { Effects, Happened, Reaction } from '../../runtime/kind.js';
import { eraPages } from '../era-pages.js';
import { rewordedRows, statusWordRows, unindexedRows } from '../word-rows.js';
import { writeAll } from '../write-all.js';
import { tellAccount } from './tells.js';

type Tables = Pick<ReadTables, 'range' | 'getMany'>;
type Now = Happened<AccountState>;

/** Statuses of one step: a hundred rows each at most. Other effects of the account wait meanwhile. */
export const INDEXED_AT_ONCE_MAX = 40;

/**
 * Adds the owner's earlier statuses to the search index, or removes them, in steps after the reply. Each step uses the
 * current state, so that a repeated one does no harm.
 */
export function indexedStatuses(tables: Tables): Reaction<AccountState, AccountEvents> {
  const goOn = async (round: number, after: string, now: Now, effects: Effects) => {
    const { self, state } = now;
    if (round !== state.indexingRound) return;
    const rows = await eraPages(
      [eraOfId(after === '' ? self : after), eraOfMs(now.atMs) + 1],
      after,
      INDEXED_AT_ONCE_MAX,
      (era, status, limit) => tables.range(accountStatuses, { account: self, era }, { after: { status }, limit }),
    );
    const last = rows.at(-1)?.key.status;
    if (last === undefined) return;
    const ids = rows
      .filter(({ value }) => value.visibility === 'public' && !value.reblogOfId)
      .map(({ key }) => key.status);
    if (state.profile.indexable) await index(tables, ids, effects);
    else for (const id of ids) await writeAll(effects, await unindexedRows(tables, id));
    await tellAccount(effects, self, 'indexSome', { round, after: last });
  };
  return {
    surface: 'indexing',
    beforeReply: false,
    on: {
      indexingChosen: ({ on, round, atMs }, now, effects) =>
        goOn(round, on ? foundFrom(now.self, atMs) : '', now, effects),
      someIndexed: ({ round, after }, now, effects) => goOn(round, after, now, effects),
    },
  };
}

/**
 * Returns the id after which to begin: searches do not cover older statuses. Empty: all of the account's are younger.
 */
function foundFrom(self: string, nowMs: number): string {
  const oldest = makeId(Math.max(0, nowMs - WORD_BUCKETS_MAX * WORD_BUCKET_MS), 0, 0);
  return oldest > self ? oldest : '';
}

async function index(tables: Tables, ids: readonly string[], effects: Effects): Promise<void> {
  const load = async () =>
    (
      await tables.getMany(
        statuses,
        ids.map((status) => ({ status })),
      )
    ).filter((record) => record !== undefined);
  const living = (await load()).filter(({ deleted }) => !deleted);
  await writeAll(
    effects,
    living.flatMap((record) => statusWordRows(record.accountId, record)),
  );
  // An edit or deletion during this step did not find the index rows yet, so they are corrected here. Later edits find
  // them.
  const before = new Map(living.map((record) => [record.id, record]));
  for (const record of await load()) {
    const known = before.get(record.id);
    if (known === undefined || !hasChanged(known, record)) continue;
    await writeAll(
      effects,
      record.deleted ? await unindexedRows(tables, record.id) : await rewordedRows(tables, record),
    );
  }
}

const hasChanged = (before: StoreStatusRecord, now: StoreStatusRecord) =>
  before.deleted !== now.deleted || before.text !== now.text || before.spoilerText !== now.spoilerText;
