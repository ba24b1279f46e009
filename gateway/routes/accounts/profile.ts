import { isProblem } from '../../../actors/domain/problem.js';
import { accounts } from '../../../store/tables.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { Profile, renderProfile } from '../../pages/account/profile.js';
import { notFound } from '../../viewing/visible.js';
import { ProfileChanges, profileCommand } from './credentials.js';
import { PICTURES_BYTES_MAX, updateProfile } from './profile-pictures.js';

const PATH = '/api/v1/profile';

const get = route({
  method: 'GET',
  path: PATH,
  auth: 'user',
  scope: ['profile', 'read:accounts'],
  answer: Profile,
  handle: ({ services, viewer = '' }) => shown(services, viewer),
});

const update = route({
  method: 'PATCH',
  path: PATH,
  auth: 'user',
  scope: 'write:accounts',
  body: ProfileChanges,
  multipartBytesMax: PICTURES_BYTES_MAX,
  answer: Profile,
  handle: async ({ services, viewer = '', body }) => {
    const updated = await updateProfile(services, viewer, body, profileCommand(body));
    return isProblem(updated) ? updated : shown(services, viewer);
  },
});

/** The viewer's profile for editing. */
export const profileRoutes: readonly AnyRoute[] = [get, update];

async function shown(services: Pick<Services, 'instance' | 'tables'>, viewer: string) {
  const record = await services.tables.get(accounts, { account: viewer });
  return record === undefined ? notFound() : json(renderProfile(services.instance, record));
}
