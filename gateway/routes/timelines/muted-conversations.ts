import { conversationsAbove } from '../../../actors/conversation/above.js';
import { isProblem, problem } from '../../../actors/domain/problem.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import { idParams } from '../../pages/answers.js';
import { Status } from '../../pages/status/status.js';
import { notFound, visibleStatus } from '../../viewing/visible.js';

/**
 * Muted conversations: their notifications are hidden from the viewer. Those above are muted, too, which include all that
 * are grafted on them.
 */
export const quietConversationRoutes: readonly AnyRoute[] = [
  change('mute', 'muteConversation'),
  change('unmute', 'unmuteConversation'),
];

function change(verb: string, command: 'muteConversation' | 'unmuteConversation'): AnyRoute {
  return route({
    method: 'POST',
    path: `/api/v1/statuses/:id/${verb}`,
    auth: 'user',
    scope: 'write:mutes',
    params: idParams,
    answer: Status,
    handle: async ({ services, viewer = '', params }) => {
      const seen = await visibleStatus(services, viewer, params.id);
      if (isProblem(seen)) return seen;
      const { conversationId } = seen.record;
      if (conversationId === '') return problem('invalid', 'Validation failed: The post has no conversation');
      for (const id of [conversationId, ...(await conversationsAbove(services.tables, conversationId))]) {
        const reply = await services.askAccount(viewer, command, { conversationId: id });
        if (isProblem(reply)) return reply;
      }
      // The second read applies the changed relations.
      const again = await visibleStatus(services, viewer, params.id);
      if (isProblem(again)) return again;
      const status = await services.pages.one(services, viewer, again);
      return status === undefined ? notFound() : json(status);
    },
  });
}
