import { Type } from '@sinclair/typebox';
import { POLL_OPTIONS_MAX } from '../../../actors/domain/poll-rules.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { idParams } from '../../pages/answers.js';
import { Poll, renderPoll } from '../../pages/status/poll.js';
import { NO_MARKS } from '../../pages/status/viewer-marks.js';
import { notFound, visibleStatus } from '../../viewing/visible.js';
import type { VisibleStatus } from '../../viewing/visible-status.js';

const get = route({
  method: 'GET',
  path: '/api/v1/polls/:id',
  auth: 'optional',
  scope: 'read:statuses',
  params: idParams,
  answer: Poll,
  handle: async ({ services, viewer, params }) => {
    const seen = await visibleStatus(services, viewer, params.id);
    return isProblem(seen) ? seen : answer(services, viewer, seen);
  },
});

const vote = route({
  method: 'POST',
  path: '/api/v1/polls/:id/votes',
  idempotent: 'command',
  auth: 'user',
  scope: 'write:statuses',
  params: idParams,
  body: Type.Object({
    choices: Type.Array(Type.Integer({ minimum: 0, maximum: 100 }), { minItems: 1, maxItems: POLL_OPTIONS_MAX }),
  }),
  answer: Poll,
  handle: async ({ services, viewer = '', params, body, once }) => {
    const seen = await visibleStatus(services, viewer, params.id);
    if (isProblem(seen)) return seen;
    const { id, conversationId, poll } = seen.record;
    if (poll === undefined) return notFound();
    const choices = [...new Set(body.choices)];
    const command = { statusId: id, by: viewer, choices };
    const reply = await services.askConversation(conversationId, 'vote', command, once);
    if (isProblem(reply)) return reply;
    const now = await visibleStatus(services, viewer, id);
    if (isProblem(now)) return now;
    // The row may not have these choices yet, so they are added to the earlier ones that it has.
    const mark = (await services.pages.marksOf(viewer, [id]))(id)?.votes;
    const earlier = mark?.round === poll.round ? mark.choices : [];
    const all = [...new Set([...earlier, ...choices])].sort((a, b) => a - b);
    return answer(services, viewer, now, { votes: { choices: all, round: poll.round } });
  },
});

async function answer(
  services: Pick<Services, 'pages' | 'instance' | 'clock'>,
  viewer: string | undefined,
  { record }: VisibleStatus,
  done?: Parameters<typeof renderPoll>[5],
) {
  if (record.poll === undefined) return notFound();
  const stored = viewer === undefined ? NO_MARKS : await services.pages.marksOf(viewer, [record.id]);
  const mark = done ?? stored(record.id);
  return json(renderPoll(services.instance, record, record.poll, services.clock.nowMs(), viewer, mark));
}

/** Polls. A poll has the id of its status. */
export const pollRoutes: readonly AnyRoute[] = [get, vote];
