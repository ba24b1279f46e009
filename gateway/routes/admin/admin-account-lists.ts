import { Type } from '@sinclair/typebox';
import { isLocal } from '../../../actors/domain/addresses.js';
import { storedId } from '../../../actors/domain/ids.js';
import { permissionsOf } from '../../../actors/domain/permissions.js';
import { domainName } from '../../../actors/domain/servers/domain-name.js';
import type { StoreAccountListing, StoreAccountRecord } from '../../../proto/gen/types.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type AnyRoute, type Request, route } from '../../http/route.js';
import { accountsCursor, localAccountsCursor, remoteAccountsCursor } from '../../moderation/moderators.js';
import { AdminAccount } from '../../pages/account/admin.js';
import { renderRole } from '../../pages/account/role.js';
import { pageAnswer } from '../../pages/answers.js';
import { arrayOf } from '../../pages/status/status-pages.js';
import { pageBounds, pageProperties } from '../../paging/bounds.js';
import type { Cursor, Entry } from '../../paging/cursor.js';
import { emptyPage, readPage } from '../../paging/page.js';
import { soon } from '../../paging/soon.js';
import { loadAccounts } from '../../viewing/people-at-hand.js';

const WORD_CHARS_MAX = 300;
const ACCOUNTS_MAX = 200;
const ACCOUNTS_DEFAULT = 100;
const ROLES_MAX = 20;

type Keep = (record: StoreAccountRecord) => boolean;
const word = () => Type.Optional(Type.String({ maxLength: WORD_CHARS_MAX }));
const flag = () => Type.Optional(Type.Boolean());

const texts = { username: word(), display_name: word(), by_domain: word(), email: word(), ip: word() };
type Texts = Partial<Record<keyof typeof texts, string>>;

/** Servers whose accounts are wanted, as the API names them. */
type Origin = 'local' | 'remote' | undefined;

/** A criterion other than texts. Accounts of other servers never meet a criterion of local ones. */
interface Criterion {
  readonly keep: Keep;
  readonly isOfLocals: boolean;
}
const ofAll = (keep: Keep): Criterion => ({ keep, isOfLocals: false });
const ofLocals = (keep: Keep): Criterion => ({ keep, isOfLocals: true });

const STATES: Readonly<Record<string, Criterion>> = {
  active: ofAll(
    (record) => record.approved && record.confirmed && !record.disabled && (record.suspendedAtMs ?? 0) === 0,
  ),
  pending: ofLocals((record) => !record.approved),
  disabled: ofLocals((record) => record.disabled),
  silenced: ofAll((record) => record.silenced === true),
  suspended: ofAll((record) => (record.suspendedAtMs ?? 0) > 0),
  sensitized: ofAll((record) => record.sensitized === true),
};
const STAFF = ofLocals(({ role }) => permissionsOf(role) !== 0);
const NOBODY = ofAll(() => false);

/** Accounts that a list must have: all that meet each criterion. */
interface Wanted {
  readonly origin: Origin;
  readonly texts: Texts;
  readonly criteria: readonly Criterion[];
}

/** Returns a filter that demands all texts and criteria but the domain, by which the list is read. */
function matching({ texts: wanted, criteria }: Wanted): Keep {
  const has = (text: string | undefined, part: string | undefined) =>
    part === undefined || (text ?? '').toLowerCase().includes(part.toLowerCase());
  return (record) =>
    has(record.username, wanted.username) &&
    has(record.profile?.displayName, wanted.display_name) &&
    has(record.email, wanted.email) &&
    (wanted.ip === undefined || record.signUpAddress === wanted.ip) &&
    criteria.every(({ keep }) => keep(record));
}

type Listing = Pick<Request<unknown, unknown, unknown>, 'services' | 'viewer' | 'url'>;
type Bounds = ReturnType<typeof pageBounds>;

/** Returns the shortest stored list with all wanted accounts; undefined if there are none. */
function cursorOf(
  services: Listing['services'],
  bounds: Bounds,
  { origin, texts: { by_domain: domain, email, ip }, criteria }: Wanted,
): Cursor<Entry<StoreAccountListing>> | undefined {
  if (criteria.includes(NOBODY)) return undefined;
  const isOfLocals = email !== undefined || ip !== undefined || criteria.some((one) => one.isOfLocals);
  const isLocalOnly = isOfLocals || origin === 'local';
  if (isLocalOnly) {
    return origin === 'remote' || domain !== undefined ? undefined : localAccountsCursor(services, bounds);
  }
  if (domain !== undefined) {
    const name = domainName(domain);
    return name === undefined ? undefined : remoteAccountsCursor(services, bounds, name);
  }
  return origin === 'remote' ? remoteAccountsCursor(services, bounds) : accountsCursor(services, bounds);
}

/** Returns the parameters without empty ones, which forms send: they demand nothing. */
function given<T extends object>(asked: T): T {
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== '')) as T;
}

/** `kept`: the parameters that the addresses of the next pages repeat. */
async function list(asked: Listing, query: Parameters<typeof pageBounds>[0], wanted: Wanted, kept: object) {
  const { services } = asked;
  const bounds = pageBounds(query);
  const keep = matching(wanted);
  const cursor = cursorOf(services, bounds, wanted);
  const isListed: Keep = (record) => (isLocal(record) || record.removed !== true) && keep(record);
  const page =
    cursor === undefined
      ? emptyPage
      : await readPage(cursor, bounds, (rows) => {
          const ids = rows.map(({ id }) => id);
          return soon(loadAccounts(services, ids), (records) =>
            ids.map((id) => {
              const record = records.get(id);
              return record !== undefined && isListed(record) ? record : undefined;
            }),
          );
        });
  const body = new JsonPieces(arrayOf(page.items.map((record) => [services.pages.others.adminAccount(record)])));
  return pageAnswer(asked, bounds, page, body, kept as Readonly<Record<string, string | boolean | undefined>>);
}

const flags = {
  local: flag(),
  remote: flag(),
  active: flag(),
  pending: flag(),
  disabled: flag(),
  silenced: flag(),
  suspended: flag(),
  sensitized: flag(),
  staff: flag(),
};
const endpoint = { method: 'GET', auth: 'user', scope: 'admin:read:accounts', permission: 'manage_users' } as const;

const v1 = route({
  ...endpoint,
  path: '/api/v1/admin/accounts',
  query: Type.Object({ ...pageProperties(ACCOUNTS_DEFAULT, ACCOUNTS_MAX), ...texts, ...flags }),
  answer: Type.Array(AdminAccount),
  handle: (request) => {
    const { max_id: _max, since_id: _since, min_id: _min, limit: _limit, ...rest } = request.query;
    const asked = given(rest);
    const { local, remote, staff } = asked;
    const states = Object.entries(STATES).flatMap(([name, state]) =>
      asked[name as keyof typeof flags] === true ? [state] : [],
    );
    const only = local === true ? 'local' : 'remote';
    const origin = (local === true) === (remote === true) ? undefined : only;
    const criteria = staff === true ? [...states, STAFF] : states;
    return list(request, request.query, { origin, texts: asked, criteria }, asked);
  },
});

/** Returns the criteria of the second version of the API. An unknown word finds nobody. */
function criteriaOf(asked: {
  readonly origin?: string;
  readonly status?: string;
  readonly permissions?: string;
  readonly role_ids?: readonly string[];
  readonly invited_by?: string;
}): Criterion[] {
  const { origin = 'local', status, permissions, role_ids: roles, invited_by: inviter } = asked;
  const state = status !== undefined && Object.hasOwn(STATES, status) ? STATES[status] : undefined;
  const criteria = [
    status === undefined ? undefined : (state ?? NOBODY),
    origin === 'local' || origin === 'remote' ? undefined : NOBODY,
    permissions === 'staff' ? STAFF : undefined,
    roles === undefined ? undefined : ofLocals(({ role }) => roles.includes(renderRole(role).id)),
    inviter === undefined ? undefined : ofLocals(({ invitedBy }) => invitedBy === storedId(inviter)),
  ];
  return criteria.filter((criterion) => criterion !== undefined);
}

const v2 = route({
  ...endpoint,
  path: '/api/v2/admin/accounts',
  query: Type.Object({
    ...pageProperties(ACCOUNTS_DEFAULT, ACCOUNTS_MAX),
    ...texts,
    origin: word(),
    status: word(),
    permissions: word(),
    role_ids: Type.Optional(Type.Array(Type.String({ maxLength: WORD_CHARS_MAX }), { maxItems: ROLES_MAX })),
    invited_by: word(),
  }),
  answer: Type.Array(AdminAccount),
  handle: (request) => {
    const { max_id: _max, since_id: _since, min_id: _min, limit: _limit, ...rest } = request.query;
    const asked = given(rest);
    const origin = asked.origin === 'local' || asked.origin === 'remote' ? asked.origin : undefined;
    return list(request, request.query, { origin, texts: asked, criteria: criteriaOf(asked) }, asked);
  },
});

/** Lists of accounts for moderators. */
export const adminAccountListRoutes: readonly AnyRoute[] = [v1, v2];
