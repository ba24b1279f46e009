import type { StoreStatusRecord } from '../../proto/gen/types.js';
import { put } from '../../store/port.js';
import { changedStatuses } from '../../store/tables.js';
import { changedKey } from '../domain/changed.js';
import type { Effects } from '../runtime/kind.js';

/**
 * Writes for clients that resume a stream that the status was deleted or is shown otherwise. The row has the time of
 * the write, not of the event: an effect that is done late must be found by whoever was away only then.
 */
export function writeChange(effects: Effects, record: StoreStatusRecord, isDeleted: boolean): Promise<void> {
  return effects.write([put(changedStatuses, changedKey(effects.nowMs(), record.id), audienceOf(record, isDeleted))]);
}

/** The fields that decide who may have seen the status, without its text. */
function audienceOf(record: StoreStatusRecord, isDeleted: boolean): StoreStatusRecord {
  return {
    ...record,
    ...{ text: '', html: '', spoilerText: '', deleted: isDeleted },
    mentions: record.mentions.map(({ accountId }) => ({ accountId, username: '', acct: '', url: '' })),
    media: record.media && { media: [] },
    ...{ poll: undefined, card: undefined, quote: undefined, appName: undefined, appWebsite: undefined },
  };
}
