import { Type } from '@sinclair/typebox';
import { collectionPath, collectionUri, isLocal, tagUrl } from '../../../actors/domain/addresses.js';
import { escapeHtml } from '../../../actors/domain/text/plain-text.js';
import type { AccountCollectionItem, AccountCollectionText } from '../../../proto/gen/types.js';
import { entity, nullable, oneOf, type Shape, time, uri } from '../../http/entity.js';
import { isoTime } from '../../paging/iso-time.js';
import type { InstanceSettings } from '../../settings/settings.js';
import type { VisibleCollection } from '../../viewing/visible-collections.js';
import { ShallowTag } from './tag.js';

/** The REST API's CollectionItem. An account that refuses is not in the collection, so there are no other states here. */
export const CollectionItem = entity('CollectionItem', {
  id: Type.String(),
  account_id: Type.String(),
  state: oneOf('accepted', 'pending'),
  created_at: time(),
});
export type CollectionItem = Shape<typeof CollectionItem>;

/** The REST API's Collection. */
export const Collection = entity('Collection', {
  id: Type.String(),
  account_id: Type.String(),
  uri: uri(),
  url: uri(),
  name: Type.String(),
  /** HTML. */
  description: Type.String(),
  language: nullable(Type.String()),
  local: Type.Boolean(),
  sensitive: Type.Boolean(),
  discoverable: Type.Boolean(),
  tag: nullable(ShallowTag),
  /** Number of items that the viewer sees. */
  item_count: Type.Integer(),
  items: Type.Array(CollectionItem),
  created_at: time(),
  updated_at: time(),
});
export type Collection = Shape<typeof Collection>;

export function renderCollection(instance: InstanceSettings, { record, owner, items }: VisibleCollection): Collection {
  const { id, text, createdAtMs, updatedAtMs } = record;
  const tag = text?.tag ?? '';
  return {
    id,
    account_id: owner.id,
    uri: record.uri ?? collectionUri(instance.baseUrl, owner, id),
    url: record.uri === undefined ? `${instance.baseUrl}${collectionPath(id)}` : record.url || record.uri,
    name: text?.name ?? '',
    description: escapeHtml(text?.description ?? ''),
    language: text?.language || null,
    local: isLocal(owner),
    sensitive: text?.sensitive ?? false,
    discoverable: text?.discoverable ?? false,
    tag: tag === '' ? null : { name: tag, url: tagUrl(instance.baseUrl, tag) },
    item_count: items.length,
    items: items.map(renderCollectionItem),
    created_at: isoTime(createdAtMs),
    // Another server may not state it.
    updated_at: isoTime(Math.max(createdAtMs, updatedAtMs)),
  };
}

export function renderCollectionItem({ id, account, createdAtMs, pending }: AccountCollectionItem): CollectionItem {
  return {
    id,
    account_id: account,
    state: pending === true ? 'pending' : 'accepted',
    created_at: isoTime(createdAtMs),
  };
}

interface CachedCollection extends Pick<VisibleCollection, 'owner' | 'items'> {
  readonly id: string;
  readonly updatedAtMs: number;
  readonly bytes: Uint8Array;
}

/** Cached JSON by the collection's text, valid while text, owner and items are unchanged. */
const cached = new WeakMap<AccountCollectionText, CachedCollection>();

/** Renders a collection as JSON. A collection with hidden items is rendered for each viewer. */
export function collectionJson(instance: InstanceSettings, seen: VisibleCollection): Uint8Array {
  const { record, owner, items } = seen;
  const { id, text, updatedAtMs } = record;
  const known = text && cached.get(text);
  const isSame =
    known?.id === id &&
    known.owner === owner &&
    known.updatedAtMs === updatedAtMs &&
    known.items.length === items.length &&
    items.every((item, index) => item === known.items[index]);
  if (isSame) return known.bytes;
  const bytes = Buffer.from(JSON.stringify(renderCollection(instance, seen)));
  if (text !== undefined && items.length === record.items.length)
    cached.set(text, { id, owner, items, updatedAtMs, bytes });
  return bytes;
}
