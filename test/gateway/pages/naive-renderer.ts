import { eraOfId } from '../../../actors/domain/ids.js';
import { seenNotifications } from '../../../gateway/notifications/seen-notifications.js';
import type { StoredNotification } from '../../../gateway/notifications/stored-notification.js';
import { type Account, renderAccount } from '../../../gateway/pages/account/account.js';
import { renderFilterResult } from '../../../gateway/pages/account/filter.js';
import { approval } from '../../../gateway/pages/approvals.js';
import { notificationHead } from '../../../gateway/pages/notification/notification.js';
import type { NotificationSubject } from '../../../gateway/pages/notification/notification-subject.js';
import { renderCollection } from '../../../gateway/pages/status/collection.js';
import { renderPoll } from '../../../gateway/pages/status/poll.js';
import { approvalOf, shallowQuote } from '../../../gateway/pages/status/quote.js';
import {
  type Quote,
  type Status,
  statusCounts,
  statusText,
  viewerBits,
  viewerMarks,
} from '../../../gateway/pages/status/status.js';
import { linkedCollections } from '../../../gateway/pages/status/tagged-collections.js';
import { loadAccounts } from '../../../gateway/viewing/people-at-hand.js';
import type { ReadServices } from '../../../gateway/viewing/read-services.js';
import { taggedCollections } from '../../../gateway/viewing/visible-collections.js';
import type { VisibleStatus } from '../../../gateway/viewing/visible-status.js';
import type { StoreMark, StoreStatusRecord } from '../../../proto/gen/types.js';
import { marks } from '../../../store/tables.js';

// Renders objects from the store without any cache: the reference for the JSON that pages and streams send.

/** Renders statuses; undefined if a status is absent or its author is deleted. */
export async function renderStatuses(
  services: ReadServices,
  viewer: string | undefined,
  seen: readonly (VisibleStatus | undefined)[],
): Promise<(Status | undefined)[]> {
  const records = seen.flatMap((status) => (status === undefined ? [] : shownWith(status)));
  const [authors, marked] = await Promise.all([
    loadAccounts(
      services,
      records.map((record) => record.accountId),
    ),
    loadMarks(
      services,
      viewer,
      records.flatMap((record) => (record.reblogOfId === undefined ? [record.id] : [])),
    ),
  ]);
  const view =
    viewer === undefined ? undefined : (services.lenses.latest(viewer) ?? (await services.lenses.of(viewer)));
  const linked = new Map(records.map((record) => [record, linkedCollections(services.instance, record)]));
  const collections = [...linked.values()].flatMap((ids = []) => ids);
  const tagged = await taggedCollections(services, viewer, collections);
  const render = (
    record: StoreStatusRecord,
    { filtered = [] }: Pick<VisibleStatus, 'filtered'>,
    within: { readonly original?: Status | undefined; readonly quote?: Quote | undefined; readonly isNested?: boolean },
  ) => {
    const author = authors.get(record.accountId);
    if (author === undefined) return undefined;
    const mark = marked.get(record.reblogOfId ?? record.id);
    const isMuted = within.isNested !== true && (view?.lens.mutesConversation(record.conversationId) ?? false);
    const mine = viewer && {
      ...viewerMarks(viewerBits(record, author, viewer, mark, isMuted)),
      filtered: filtered.map(renderFilterResult),
    };
    const poll =
      record.poll && renderPoll(services.instance, record, record.poll, services.clock.nowMs(), viewer, mark);
    const follows = view?.lens.relation(record.accountId).following === true;
    return {
      ...statusText(services.instance, record, author),
      ...statusCounts(record),
      ...(mine || {}),
      account: renderAccount(services.instance, author),
      reblog: within.original ?? null,
      poll: poll ?? null,
      quote: within.quote ?? null,
      quote_approval: approval(approvalOf(record, viewer, follows)),
      tagged_collections: (linked.get(record) ?? []).flatMap((id) => {
        const collection = tagged.get(id);
        return collection === undefined ? [] : [renderCollection(services.instance, collection)];
      }),
    };
  };
  const quoteOf = (quote: VisibleStatus['quote']): Quote | undefined => {
    if (quote?.quoted === undefined) return quote && { state: quote.state, quoted_status: null };
    const { record, quote: further } = quote.quoted;
    const inner = { isNested: true, quote: further && shallowQuote(further) };
    return { state: quote.state, quoted_status: render(record, quote.quoted, inner) ?? null };
  };
  return seen.map((status) => {
    if (status === undefined) return undefined;
    const quote = quoteOf(status.quote);
    if (status.original === undefined) return render(status.record, status, { quote });
    const original = render(status.original, status, { quote, isNested: true });
    return original === undefined ? undefined : render(status.record, status, { original });
  });
}

/** Returns all records with which a status is shown. */
function shownWith({ record, original, quote }: VisibleStatus): StoreStatusRecord[] {
  return [record, original, quote?.quoted?.record].filter((one) => one !== undefined);
}

async function loadMarks(
  services: ReadServices,
  viewer: string | undefined,
  statusIds: readonly string[],
): Promise<ReadonlyMap<string, StoreMark>> {
  const distinct = [...new Set(statusIds)];
  if (viewer === undefined || distinct.length === 0) return new Map();
  const found = await services.tables.getMany(
    marks,
    distinct.map((status) => ({ account: viewer, era: eraOfId(status), status })),
  );
  return new Map(
    distinct.flatMap((status, index) => {
      const mark = found[index];
      return mark === undefined ? [] : [[status, mark]];
    }),
  );
}

/** The REST API's Notification. */
interface Notification extends NotificationSubject {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly group_key: string;
  readonly account: Account;
  readonly status?: Status;
}

/** Renders notifications as objects. */
export async function renderNotifications(
  services: ReadServices,
  viewer: string,
  stored: readonly StoredNotification[],
): Promise<(Notification | undefined)[]> {
  const seen = await seenNotifications(services, viewer, stored);
  const statuses = await renderStatuses(
    services,
    viewer,
    seen.map((one) => one?.status),
  );
  return seen.map((one, index) => {
    const status = statuses[index];
    if (one === undefined || (one.status !== undefined && status === undefined)) return undefined;
    const account = renderAccount(services.instance, one.account);
    return { ...notificationHead(one), account, ...(status === undefined ? {} : { status }), ...one.subject };
  });
}
