import { isProblem } from '../../../actors/domain/problem.js';
import { isSuspended } from '../../../actors/domain/standing.js';
import type { ServiceFormatIndex } from '../../../proto/gen/types.js';
import { type Answer, type AnyRoute, json, route } from '../../http/route.js';
import { idParams } from '../../pages/answers.js';
import { encodeIndex, indexAsJson, mediaIndex } from '../../pages/status/media-index.js';
import { linkHeaders, pageBounds, pageQuery, pathOf } from '../../paging/bounds.js';
import { accountTimeline } from '../../timelines/account.js';
import { publishedAccount, visibleStatus } from '../../viewing/visible.js';

const PROTOBUF = 'application/x-protobuf';

const ofStatus = route({
  method: 'GET',
  path: '/api/v1/statuses/:id/media_index',
  auth: 'optional',
  scope: 'read:statuses',
  params: idParams,
  handle: async ({ services, viewer, params, headers }) => {
    const seen = await visibleStatus(services, viewer, params.id);
    if (isProblem(seen)) return seen;
    const record = seen.original ?? seen.record;
    const about = { title: record.spoilerText, desc: record.text };
    return indexAnswer(mediaIndex(services.instance, [record], about), headers.accept);
  },
});

const ofAccount = route({
  method: 'GET',
  path: '/api/v1/accounts/:id/media_index',
  auth: 'optional',
  scope: 'read:statuses',
  params: idParams,
  query: pageQuery(),
  handle: async ({ services, viewer, params, query, headers, url }) => {
    const account = await publishedAccount(services, params.id);
    if (isProblem(account)) return account;
    if (isSuspended(account)) return indexAnswer(mediaIndex(services.instance, [], {}), headers.accept);
    const bounds = pageBounds(query);
    const wish = { excludeReplies: false, excludeReblogs: true, onlyMedia: true, tagged: undefined };
    const { items, newest, oldest, more } = await accountTimeline(services, viewer, account.id, bounds, wish);
    const about = { title: account.profile?.displayName || account.username, desc: account.profile?.note };
    const index = mediaIndex(
      services.instance,
      items.map(({ record }) => record),
      about,
    );
    const path = pathOf(url);
    const { baseUrl } = services.instance;
    return indexAnswer(
      index,
      headers.accept,
      linkHeaders({ baseUrl, path, limit: bounds.limit, newest, oldest, more }),
    );
  },
});

/** Index of images in a compact message (proto/service_format.proto). */
export const mediaIndexRoutes: readonly AnyRoute[] = [ofStatus, ofAccount];

/** Answers with JSON if the client requests it and not protobuf; the default is protobuf. */
function indexAnswer(index: ServiceFormatIndex, accept = '', links: Readonly<Record<string, string>> = {}): Answer {
  const headers = { ...links, vary: 'Accept' };
  const wantsJson = /\bapplication\/(?:[\w.-]+\+)?json\b/i.test(accept) && !/protobuf/i.test(accept);
  if (wantsJson) return json(indexAsJson(index), headers);
  return { status: 200, headers: { ...headers, 'content-type': PROTOBUF }, body: encodeIndex(index) };
}
