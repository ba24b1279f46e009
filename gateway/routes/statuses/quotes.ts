import { Type } from '@sinclair/typebox';
import { storedId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { QUOTE_POLICY_DEFAULT } from '../../../actors/domain/quoting.js';
import { quotes } from '../../../store/tables.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import { idParams, statusPage } from '../../pages/answers.js';
import { Status } from '../../pages/status/status.js';
import { idText, pageBounds, pageQuery } from '../../paging/bounds.js';
import { entriesSoon, PartsCursor } from '../../paging/cursor.js';
import { readPage } from '../../paging/page.js';
import { soon } from '../../paging/soon.js';
import { PLACES, withoutContent } from '../../viewing/judge.js';
import { loadStatuses, notFound, visibleById, visibleStatus } from '../../viewing/visible.js';
import { QuotePolicy } from './post.js';

const WRITE = 'write:statuses';

const setPolicy = route({
  method: 'PUT',
  path: '/api/v1/statuses/:id/interaction_policy',
  auth: 'user',
  scope: WRITE,
  params: idParams,
  body: Type.Object({
    quote_approval_policy: Type.Optional(QuotePolicy),
  }),
  answer: Status,
  handle: async ({ services, viewer = '', params, body }) => {
    const seen = await visibleStatus(services, viewer, params.id);
    if (isProblem(seen)) return seen;
    const { record, original } = seen;
    if (record.accountId !== viewer || original !== undefined) return notFound();
    const policy = (body.quote_approval_policy || record.quotePolicy) ?? QUOTE_POLICY_DEFAULT;
    const input = { statusId: record.id, by: viewer, policy };
    const reply = await services.askConversation(record.conversationId, 'setQuotePolicy', input);
    if (isProblem(reply)) return reply;
    const now = await visibleStatus(services, viewer, record.id);
    const status = isProblem(now) ? undefined : await services.pages.one(services, viewer, now);
    return status === undefined ? notFound() : json(status);
  },
});

const list = route({
  method: 'GET',
  path: '/api/v1/statuses/:id/quotes',
  auth: 'user',
  scope: 'read:statuses',
  params: idParams,
  query: pageQuery(),
  answer: Type.Array(Status),
  handle: (request) => {
    const { services, viewer, params, query } = request;
    return soon(visibleStatus(services, viewer, params.id), (seen) => {
      if (isProblem(seen)) return seen;
      const bounds = pageBounds(query);
      const status = (seen.original ?? seen.record).id;
      const cursor = new PartsCursor([status], bounds, (_, span, limit) =>
        entriesSoon(services.tables, quotes, { status }, 'quote', span, limit),
      );
      const page = readPage(cursor, bounds, (rows) => {
        const ids = rows.map(({ id }) => id);
        return visibleById(services, viewer, ids, PLACES.quote);
      });
      return soon(page, (found) => statusPage(request, bounds, found));
    });
  },
});

const revoke = route({
  method: 'POST',
  path: '/api/v1/statuses/:id/quotes/:quote/revoke',
  auth: 'user',
  scope: WRITE,
  params: Type.Object({ id: idText(), quote: idText() }),
  answer: Status,
  handle: async ({ services, viewer = '', params }) => {
    const seen = await visibleStatus(services, viewer, params.id);
    if (isProblem(seen)) return seen;
    const { id: statusId, conversationId } = seen.original ?? seen.record;
    const quotingId = storedId(params.quote);
    const reply = await services.askConversation(conversationId, 'revokeQuote', { statusId, by: viewer, quotingId });
    if (isProblem(reply)) return reply;
    const [record] = await loadStatuses(services, [quotingId]);
    if (record === undefined || record.deleted) return notFound();
    // The quoting status is also notified after the reply. This call notifies it at once, so that the answer shows the
    // new state.
    const settled = { statusId: quotingId, quotedId: statusId, state: 'revoked' };
    await services.askConversation(record.conversationId, 'settleQuote', settled);
    const quoting = await visibleStatus(services, viewer, quotingId);
    // The revocation is valid even if the viewer may not see the quoting status.
    const shown = isProblem(quoting) ? withoutContent(record) : quoting;
    const status = await services.pages.one(services, viewer, shown);
    return status === undefined ? notFound() : json(status);
  },
});

/** Quote policies, and lists of quotes. */
export const quoteRoutes: readonly AnyRoute[] = [setPolicy, list, revoke];
