import { escapeHtml } from '../../actors/domain/text.js';
import type { AccountCollection, AccountCollectionItem, StoreAccountRecord } from '../../proto/gen/types.js';
import type { InstanceSettings } from '../services.js';
import type { VisibleCollection } from '../visible-collections.js';
import { accountUri } from './account.js';
import { isoTime } from './time.js';

/** The REST API's CollectionItem. Whoever is in a collection has agreed to it, so there are no other states here. */
export interface CollectionItem {
  readonly id: string;
  readonly account_id: string;
  readonly state: 'accepted';
  readonly created_at: string;
}

/** The REST API's Collection. */
export interface Collection {
  readonly id: string;
  readonly account_id: string;
  readonly uri: string;
  readonly url: string;
  readonly name: string;
  /** HTML. */
  readonly description: string;
  readonly language: string | null;
  readonly local: boolean;
  readonly sensitive: boolean;
  readonly discoverable: boolean;
  readonly tag: { readonly name: string; readonly url: string } | null;
  /** Of those that the viewer sees. */
  readonly item_count: number;
  readonly items: readonly CollectionItem[];
  readonly created_at: string;
  readonly updated_at: string;
}

export function renderCollection(instance: InstanceSettings, { record, owner, items }: VisibleCollection): Collection {
  const { id, text, createdAtMs, updatedAtMs } = record;
  const tag = text?.tag ?? '';
  return {
    id,
    account_id: owner.id,
    uri: `${accountUri(instance, owner.username)}/collections/${id}`,
    url: `${instance.baseUrl}/collections/${id}`,
    name: text?.name ?? '',
    description: escapeHtml(text?.description ?? ''),
    language: text?.language || null,
    local: owner.domain === '',
    sensitive: text?.sensitive ?? false,
    discoverable: text?.discoverable ?? false,
    tag: tag === '' ? null : { name: tag, url: `${instance.baseUrl}/tags/${encodeURIComponent(tag)}` },
    item_count: items.length,
    items: items.map(renderCollectionItem),
    created_at: isoTime(createdAtMs),
    updated_at: isoTime(updatedAtMs),
  };
}

export function renderCollectionItem({ id, account, createdAtMs }: AccountCollectionItem): CollectionItem {
  return { id, account_id: account, state: 'accepted', created_at: isoTime(createdAtMs) };
}

/** Where all of it is shown, as long as neither it nor its owner changes. */
const kept = new WeakMap<AccountCollection, { readonly owner: StoreAccountRecord; readonly bytes: Uint8Array }>();

export function collectionJson(instance: InstanceSettings, seen: VisibleCollection): Uint8Array {
  const { record, owner, items } = seen;
  const isWhole = items.length === record.items.length;
  const known = isWhole ? kept.get(record) : undefined;
  if (known?.owner === owner) return known.bytes;
  const bytes = Buffer.from(JSON.stringify(renderCollection(instance, seen)));
  if (isWhole) kept.set(record, { owner, bytes });
  return bytes;
}
