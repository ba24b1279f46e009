import type { StoreStatusRecord } from '../../proto/gen/types.js';
import { put } from '../../store/port.js';
import { changedStatuses } from '../../store/tables.js';
import { changedKey } from '../domain/changed.js';
import type { Effects } from '../runtime/kind.js';

/**
 * Records for clients that resume a stream that a status was deleted or changed. The row has the time of the write, not
 * of the event, so that a client that was disconnected only during a delayed effect finds it. It is a time of ids,
 * because clients read from the floor of their position on.
 */
export function writeChange(effects: Effects, record: StoreStatusRecord, isDeleted: boolean): Promise<void> {
  return effects.write([put(changedStatuses, changedKey(effects.stampMs(), record.id), audienceOf(record, isDeleted))]);
}

/**
 * Records that a status is published so late that the positions of streams may be beyond it, if `aboveFloors` only those
 * of streams that began meanwhile. Its row is there before it is published.
 */
export function writeLate(effects: Effects, record: StoreStatusRecord, aboveFloors: boolean): Promise<void> {
  const value = { ...audienceOf(record, false), late: true, ...(aboveFloors && { aboveFloors }) };
  return effects.write([put(changedStatuses, changedKey(effects.stampMs(), record.id), value)]);
}

/** Returns the fields that decide who may have seen the status, without its text. */
function audienceOf(record: StoreStatusRecord, isDeleted: boolean): StoreStatusRecord {
  return {
    ...record,
    ...{ text: '', html: '', spoilerText: '', deleted: isDeleted },
    mentions: record.mentions.map(({ accountId }) => ({ accountId, username: '', acct: '', url: '' })),
    media: record.media && { media: [] },
    ...{ poll: undefined, card: undefined, quote: undefined, appName: undefined, appWebsite: undefined },
  };
}
