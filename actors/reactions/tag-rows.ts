import type { StorePublicRow, StoreStatusRecord } from '../../proto/gen/types.js';
import { put, type RowWrite, remove } from '../../store/port.js';
import { tagBuckets, tagNames, tagNumbers, tagStatuses } from '../../store/tables.js';
import { isLocal } from '../domain/addresses.js';
import { indexedTags, TAG_BUCKET_MS, tagBucket } from '../domain/text/hashtag.js';
import { writtenTags } from '../domain/text/plain-text.js';
import { tagId } from '../domain/text/tag-id.js';
import { wordStart } from '../domain/text/words.js';

/** Returns the rows of the status in the timelines of its hashtags. */
export function tagRows(record: StoreStatusRecord): RowWrite[] {
  const tags = indexedTags(record);
  if (tags.length === 0) return [];
  const bucket = tagBucket(record.id);
  const written = writtenTags(record.text);
  return tags.flatMap((tag) => [
    put(tagStatuses, { tag, bucket, status: record.id }, useOf(tag, record, written.get(tag))),
    put(tagBuckets, { tag, bucket }, { atMs: bucket * TAG_BUCKET_MS }),
    put(tagNames, { start: wordStart(tag), tag }, { atMs: bucket * TAG_BUCKET_MS }),
    put(tagNumbers, { number: tagId(tag) }, { name: tag }),
  ]);
}

/** Returns the removals of the status from the timelines of these hashtags. */
export function untaggedRows(status: string, tags: readonly string[]): RowWrite[] {
  const bucket = tagBucket(status);
  return tags.map((tag) => remove(tagStatuses, { tag, bucket, status }));
}

function useOf(tag: string, record: StoreStatusRecord, written = tag): StorePublicRow {
  const { accountId } = record;
  const use = written === tag ? { accountId } : { accountId, written };
  return isLocal(record) ? use : { ...use, remote: true };
}
