import { storedId } from '../../../actors/domain/ids.js';
import { isProblem, problem } from '../../../actors/domain/problem.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import { idParams } from '../../pages/answers.js';
import { isPinnable, Status } from '../../pages/status/status.js';
import { notFound, visibleStatus } from '../../viewing/visible.js';

const SCOPE = 'write:accounts';

const pin = route({
  method: 'POST',
  path: '/api/v1/statuses/:id/pin',
  auth: 'user',
  scope: SCOPE,
  params: idParams,
  answer: Status,
  handle: async ({ services, viewer = '', params }) => {
    const seen = await visibleStatus(services, viewer, params.id);
    if (isProblem(seen)) return seen;
    const { record, original } = seen;
    if (record.accountId !== viewer) return refused("Someone else's post cannot be pinned");
    if (original !== undefined) return refused('A boost cannot be pinned');
    if (!isPinnable(record)) return refused('Posts that are not public cannot be pinned');
    const reply = await services.askAccount(viewer, 'pin', { statusId: record.id });
    if (isProblem(reply)) return reply;
    const status = await services.pages.one(services, viewer, seen);
    return status === undefined ? notFound() : json(status);
  },
});

const unpin = route({
  method: 'POST',
  path: '/api/v1/statuses/:id/unpin',
  auth: 'user',
  scope: SCOPE,
  params: idParams,
  answer: Status,
  handle: async ({ services, viewer = '', params }) => {
    const seen = await visibleStatus(services, viewer, params.id);
    // The pin is removed even if the status is gone: a leftover pin would use up a place.
    const reply = await services.askAccount(viewer, 'unpin', { statusId: storedId(params.id) });
    if (isProblem(seen)) return seen;
    if (isProblem(reply)) return reply;
    const status = await services.pages.one(services, viewer, seen);
    return status === undefined ? notFound() : json(status);
  },
});

/** Pins of the viewer's own statuses to the top of their profile. */
export const statusPinRoutes: readonly AnyRoute[] = [pin, unpin];

const refused = (why: string) =>
  problem('invalid', `Validation failed: ${why}`, { status: [{ error: 'ERR_INVALID', description: why }] });
