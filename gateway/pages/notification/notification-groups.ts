import { Type } from '@sinclair/typebox';
import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import { entity, type Shape, time } from '../../http/entity.js';
import { JsonPieces } from '../../http/json-pieces.js';
import type { Services } from '../../http/services.js';
import type { NotificationGroup as SeenGroup } from '../../notifications/found-groups.js';
import { groupKey } from '../../notifications/group-key.js';
import { isoTime } from '../../paging/iso-time.js';
import { type Soon, soon } from '../../paging/soon.js';
import type { ReadServices } from '../../viewing/read-services.js';
import type { VisibleStatus } from '../../viewing/visible-status.js';
import { Account, renderAccount } from '../account/account.js';
import { Status } from '../status/status.js';
import { arrayOf } from '../status/status-pages.js';
import { notificationType } from './notification.js';
import { fallbackOf, NotificationFallback } from './notification-fallback.js';
import { NotificationSubject } from './notification-subject.js';

const PARTIAL = Buffer.from(',"partial_accounts":');
const STATUSES = Buffer.from(',"statuses":');
const GROUPS = Buffer.from(',"notification_groups":');
const ACCOUNTS = Buffer.from('{"accounts":');
const END = Buffer.from('}');

/** The REST API's NotificationGroup. */
export const NotificationGroup = entity('NotificationGroup', {
  group_key: Type.String(),
  notifications_count: Type.Integer(),
  type: notificationType,
  /** Fields about the page; absent from single groups. */
  page_min_id: Type.Optional(Type.String()),
  page_max_id: Type.Optional(Type.String()),
  latest_page_notification_at: Type.Optional(time()),
  sample_account_ids: Type.Array(Type.String()),
  status_id: Type.Optional(Type.String()),
  ...NotificationSubject.properties,
  fallback: Type.Optional(NotificationFallback),
  most_recent_notification_id: Type.Integer(),
});
type GroupFields = Omit<Shape<typeof NotificationGroup>, 'fallback' | 'most_recent_notification_id'>;

const avatarFields = ['id', 'acct', 'locked', 'bot', 'url', 'avatar', 'avatar_static'] as const;
/** The REST API's PartialAccountWithAvatar. */
const PartialAccountWithAvatar = entity('PartialAccountWithAvatar', Type.Pick(Account, [...avatarFields]).properties);

/** The REST API's GroupedNotificationsResults. */
export const GroupedNotificationsResults = entity('GroupedNotificationsResults', {
  accounts: Type.Array(Account),
  partial_accounts: Type.Optional(Type.Array(PartialAccountWithAvatar)),
  statuses: Type.Array(Status),
  notification_groups: Type.Array(NotificationGroup),
});

/** Options for rendering groups. */
interface GroupLook {
  /** `page` includes the fields about the page; `alone` leaves them out. */
  readonly shown: 'page' | 'alone';
  /** Renders most accounts with the fields of an avatar only. */
  readonly isPartial: boolean;
  /** Types without a fallback text; undefined: no type has one. */
  readonly supportedTypes: readonly string[] | undefined;
}

/** Renders the REST API's GroupedNotificationsResults as pieces of JSON. */
export function renderGroups(
  services: ReadServices & Pick<Services, 'pages'>,
  viewer: string,
  groups: readonly SeenGroup[],
  look: GroupLook,
): Soon<JsonPieces> {
  const { isPartial } = look;
  const whole = new Set<StoreAccountRecord>();
  const partial = new Set<StoreAccountRecord>();
  const statuses = new Map<string, VisibleStatus>();
  const rendered: Uint8Array[][] = [];
  for (const group of groups) {
    const { sample } = group;
    for (let index = 0; index < sample.length; index++) {
      const account = sample[index] as StoreAccountRecord;
      if (isPartial && index > 0) partial.add(account);
      else whole.add(account);
    }
    const { status } = group.newest;
    if (status !== undefined) statuses.set(status.record.id, status);
    rendered.push([groupBytes(services, group, look)]);
  }
  const shown: Uint8Array[][] = [];
  for (const account of whole) shown.push([services.pages.account(account)]);
  const others = [...partial].filter((account) => !whole.has(account)).map((account) => avatarOf(services, account));
  return soon(services.pages.list(services, viewer, [...statuses.values()]), (list) => {
    const pieces = arrayOf(shown, [ACCOUNTS]);
    if (isPartial) pieces.push(PARTIAL, Buffer.from(JSON.stringify(others)));
    pieces.push(STATUSES);
    for (const piece of list.pieces) pieces.push(piece);
    pieces.push(GROUPS);
    arrayOf(rendered, pieces).push(END);
    return new JsonPieces(pieces);
  });
}

/** Renders a group. The cached bytes are valid while it has the same first and last notification, count and sample. */
function groupBytes(
  services: Pick<Services, 'pages'>,
  group: SeenGroup,
  { shown, supportedTypes }: GroupLook,
): Uint8Array {
  const { isGrouped, newest, oldestId, count, sample } = group;
  const fallback = supportedTypes && fallbackOf(newest, supportedTypes);
  const make = () => {
    const text = JSON.stringify({ ...groupOf(group, shown), fallback }).slice(0, -1);
    // The API demands a number, although a double cannot represent it.
    return Buffer.from(`${text},"most_recent_notification_id":${BigInt(newest.id)}}`);
  };
  if (newest.subject !== undefined || fallback !== undefined || shown !== 'page') return make();
  // A page's groups have distinct newest notifications.
  const cached = services.pages.others.groups.get(newest.id);
  const isSame =
    cached !== undefined &&
    cached.isGrouped === isGrouped &&
    cached.count === count &&
    cached.oldestId === oldestId &&
    isOf(cached.sample, sample);
  if (isSame) return cached.bytes;
  const bytes = make();
  const ids = sample.map(({ id }) => id);
  services.pages.others.groups.set(newest.id, { isGrouped, count, oldestId, sample: ids, bytes });
  return bytes;
}

function isOf(ids: readonly string[], sample: readonly StoreAccountRecord[]): boolean {
  if (ids.length !== sample.length) return false;
  for (let index = 0; index < ids.length; index++) if (ids[index] !== sample[index]?.id) return false;
  return true;
}

function groupOf(group: SeenGroup, shown: GroupLook['shown']): GroupFields {
  const { isGrouped, newest, oldestId, count, sample } = group;
  const { id, record, status } = newest;
  const onPage = {
    page_min_id: oldestId,
    page_max_id: id,
    latest_page_notification_at: isoTime(record.atMs),
  };
  return {
    group_key: groupKey(id, record, isGrouped ? [record.type] : []),
    notifications_count: count,
    type: record.type,
    ...(shown === 'page' ? onPage : {}),
    sample_account_ids: sample.map((account) => account.id),
    ...(status === undefined ? {} : { status_id: status.record.id }),
    ...newest.subject,
  };
}

/** Renders the REST API's PartialAccountWithAvatar. */
function avatarOf(
  { instance }: Pick<Services, 'instance'>,
  record: StoreAccountRecord,
): Shape<typeof PartialAccountWithAvatar> {
  const { id, acct, locked, bot, url, avatar, avatar_static } = renderAccount(instance, record);
  return { id, acct, locked, bot, url, avatar, avatar_static };
}
