import { Type } from '@sinclair/typebox';
import { QUOTE_POLICIES } from '../../actors/conversation/quote-policy.js';
import { isProblem } from '../../actors/domain/problem.js';
import { idText } from '../http/paging.js';
import { type AnyRoute, json, route } from '../http/route.js';
import { notFound, visibleStatus } from '../visible.js';
import { idParams } from './lists.js';

const WRITE = 'write:statuses';
const QUOTE_ID_CHARS_MAX = 100;

const setPolicy = route({
  method: 'PUT',
  path: '/api/v1/statuses/:id/interaction_policy',
  auth: 'user',
  scope: WRITE,
  params: idParams,
  body: Type.Object({
    quote_approval_policy: Type.Optional(Type.Union(QUOTE_POLICIES.map((word) => Type.Literal(word)))),
  }),
  handle: async ({ services, viewer = '', params, body }) => {
    const seen = await visibleStatus(services, viewer, params.id);
    if (isProblem(seen)) return seen;
    const { record, original } = seen;
    if (record.accountId !== viewer || original !== undefined) return notFound();
    const policy = body.quote_approval_policy ?? record.quotePolicy ?? 'nobody';
    const input = { statusId: record.id, by: viewer, policy };
    const reply = await services.askConversation(record.conversationId, 'setQuotePolicy', input);
    if (isProblem(reply)) return reply;
    const now = await visibleStatus(services, viewer, record.id);
    const status = isProblem(now) ? undefined : await services.pages.one(services, viewer, now);
    return status === undefined ? notFound() : json(status);
  },
});

/** Nothing here quotes yet, so there is nothing to list and nothing to take back. */
const quotes = route({
  method: 'GET',
  path: '/api/v1/statuses/:id/quotes',
  auth: 'user',
  scope: 'read:statuses',
  params: idParams,
  handle: async ({ services, viewer, params }) => {
    const seen = await visibleStatus(services, viewer, params.id);
    return isProblem(seen) ? seen : json([]);
  },
});

const revoke = route({
  method: 'POST',
  path: '/api/v1/statuses/:id/quotes/:quote/revoke',
  auth: 'user',
  scope: WRITE,
  params: Type.Object({ id: idText(), quote: Type.String({ maxLength: QUOTE_ID_CHARS_MAX }) }),
  handle: () => notFound(),
});

/** Who may quote, and who has quoted. */
export const quoteRoutes: readonly AnyRoute[] = [setPolicy, quotes, revoke];
