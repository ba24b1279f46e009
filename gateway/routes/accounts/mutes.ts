import { Type } from '@sinclair/typebox';
import { isPublished, isSuspended } from '../../../actors/domain/standing.js';
import type { AccountEdge, AccountEdgePage } from '../../../proto/gen/types.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type Answer, type AnyRoute, type Request, route } from '../../http/route.js';
import { Account, MutedAccount } from '../../pages/account/account.js';
import { pageAnswer } from '../../pages/answers.js';
import { arrayOf } from '../../pages/status/status-pages.js';
import { pageBounds, pageQuery } from '../../paging/bounds.js';
import { isoTime } from '../../paging/iso-time.js';
import { type Soon, soon } from '../../paging/soon.js';
import { loadAccounts } from '../../viewing/people-at-hand.js';
import { askSoon } from '../../viewing/read-services.js';
import { answered } from '../../viewing/visible.js';
import { acting } from './acting.js';

const WRITE_MUTES = ['write:mutes', 'follow'];
/** A hundred years. A much larger value would exceed the range of dates. */
const MUTE_SECONDS_MAX = 3_155_760_000;

const Mute = Type.Object({
  notifications: Type.Boolean({ default: true }),
  /** Seconds; 0 means no end. */
  duration: Type.Integer({ minimum: 0, maximum: MUTE_SECONDS_MAX, default: 0 }),
});
const mute = acting('mute', WRITE_MUTES, Mute, (services, viewer, { id }, { notifications, duration }) =>
  services.askAccount(viewer, 'mute', { target: id, notifications, durationMs: duration * 1_000 }),
);
const unmute = acting('unmute', WRITE_MUTES, undefined, (services, viewer, { id }) =>
  services.askAccount(viewer, 'unmute', { target: id }),
);

const mutes = edgeList(
  '/api/v1/mutes',
  'read:mutes',
  'mutes',
  ({ untilMs }): Pick<MutedAccount, 'mute_expires_at'> => ({
    mute_expires_at: untilMs > 0 ? isoTime(untilMs) : null,
  }),
);
const blocks = edgeList('/api/v1/blocks', 'read:blocks', 'blocks');

/** Mutes, lists of muted and blocked accounts. */
export const muteRoutes: readonly AnyRoute[] = [mute, unmute, mutes, blocks];

/** Route of the viewer's own list. It shows accounts that other lists hide from the viewer. */
function edgeList(
  path: string,
  scope: string,
  command: 'mutes' | 'blocks',
  more?: (edge: AccountEdge) => object,
): AnyRoute {
  return route({
    method: 'GET',
    path,
    auth: 'user',
    scope: [scope, 'follow'],
    query: pageQuery(40, 80),
    answer: Type.Array(command === 'mutes' ? MutedAccount : Account),
    handle: (request) => {
      const { services, viewer = '', query } = request;
      const bounds = pageBounds(query);
      return soon(askSoon(services, viewer, command, bounds), (page) =>
        edgeAnswer(request, bounds, answered(page), more),
      );
    },
  });
}

/**
 * Renders the accounts of a page of edges, with the fields that `extra` returns for each (not empty). The viewer's
 * relations to the accounts hide nothing.
 */
export function edgeAnswer(
  request: Request<unknown, unknown, unknown>,
  bounds: ReturnType<typeof pageBounds>,
  { edges, more }: AccountEdgePage,
  extra?: (edge: AccountEdge) => object,
): Soon<Answer<JsonPieces>> {
  const { services } = request;
  const ids = edges.map(({ account }) => account);
  return soon(loadAccounts(services, ids), (records) => {
    // Most edges have the same extra fields (no end, no settings), so the encoded bytes are reused.
    let [text, end] = ['', NOTHING];
    const items = edges.map((edge) => {
      const record = records.get(edge.account);
      if (record === undefined || !isPublished(record) || isSuspended(record)) return undefined;
      if (extra === undefined) return [services.pages.account(record)];
      const told = JSON.stringify(extra(edge));
      if (told !== text) [text, end] = [told, Buffer.from(`,${told.slice(1)}`)];
      return [services.pages.openAccount(record), end];
    });
    const page = { newest: edges[0]?.edgeId, oldest: edges.at(-1)?.edgeId, more };
    return pageAnswer(request, bounds, page, new JsonPieces(arrayOf(items)));
  });
}

const NOTHING = new Uint8Array(0);
