import { Type } from '@sinclair/typebox';
import { MARKED_TIMELINES } from '../../../actors/account/markers.js';
import { isProblem } from '../../../actors/domain/problem.js';
import type { AccountMarker } from '../../../proto/gen/types.js';
import { entity, time } from '../../http/entity.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import { idText } from '../../paging/bounds.js';
import { isoTime } from '../../paging/iso-time.js';
import { answered } from '../../viewing/visible.js';

/** The REST API's Marker. */
const Marker = entity('Marker', {
  last_read_id: Type.String(),
  updated_at: time(),
  version: Type.Integer(),
});

/** More than there are timelines; unknown names have no marker. */
const TIMELINES_MAX = 10;
const position = () => Type.Optional(Type.Object({ last_read_id: Type.Optional(idText()) }));

const get = route({
  method: 'GET',
  path: '/api/v1/markers',
  auth: 'user',
  scope: 'read:statuses',
  query: Type.Object({
    timeline: Type.Optional(Type.Array(Type.String({ maxLength: 50 }), { maxItems: TIMELINES_MAX })),
  }),
  answer: Type.Object({ home: Type.Optional(Marker), notifications: Type.Optional(Marker) }),
  handle: async ({ services, viewer = '', query }) => {
    const { markers } = answered(await services.askAccount(viewer, 'markers', {}));
    return json(rendered(markers.filter(({ timeline }) => query.timeline?.includes(timeline) === true)));
  },
});

const set = route({
  method: 'POST',
  path: '/api/v1/markers',
  auth: 'user',
  scope: 'write:statuses',
  body: Type.Object({ home: position(), notifications: position() }),
  answer: Type.Object({ home: Type.Optional(Marker), notifications: Type.Optional(Marker) }),
  handle: async ({ services, viewer = '', body }) => {
    const markers = MARKED_TIMELINES.flatMap((timeline) => {
      const lastReadId = body[timeline]?.last_read_id;
      return lastReadId === undefined ? [] : [{ timeline, lastReadId }];
    });
    const reply = await services.askAccount(viewer, 'setMarkers', { markers });
    return isProblem(reply) ? reply : json(rendered(reply.markers));
  },
});

export const markerRoutes: readonly AnyRoute[] = [get, set];

/** Renders the REST API's Markers. */
function rendered(markers: readonly AccountMarker[]) {
  return Object.fromEntries(
    markers.map(({ timeline, lastReadId, version, updatedAtMs }) => [
      timeline,
      { last_read_id: lastReadId, version, updated_at: isoTime(updatedAtMs) },
    ]),
  );
}
