import { Type } from '@sinclair/typebox';
import { isLocal } from '../../../actors/domain/addresses.js';
import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import { entity, nullable, type Shape, time } from '../../http/entity.js';
import { isoTime } from '../../paging/iso-time.js';
import type { InstanceSettings } from '../../settings/settings.js';
import { Account, renderWhole } from './account.js';
import { Role, renderRole } from './role.js';

/** The REST API's Admin::Account. */
export const AdminAccount = entity('AdminAccount', {
  id: Type.String(),
  username: Type.String(),
  domain: nullable(Type.String()),
  created_at: time(),
  email: Type.String(),
  /** The last mail to the address that could not be delivered; null if there is none. */
  email_problem: nullable(entity('AdminEmailProblem', { reason: Type.String(), at: time() })),
  ip: nullable(Type.String()),
  ips: Type.Array(entity('AdminIp', { ip: Type.String(), used_at: time() })),
  locale: Type.String(),
  invite_request: nullable(Type.String()),
  role: Role,
  confirmed: Type.Boolean(),
  approved: Type.Boolean(),
  disabled: Type.Boolean(),
  silenced: Type.Boolean(),
  sensitized: Type.Boolean(),
  suspended: Type.Boolean(),
  account: Account,
  created_by_application_id: nullable(Type.String()),
  invited_by_account_id: nullable(Type.String()),
});
export type AdminAccount = Shape<typeof AdminAccount>;

/** Renders an account for moderators, complete even if it is suspended. */
export function renderAdminAccount(instance: InstanceSettings, record: StoreAccountRecord): AdminAccount {
  const createdAt = isoTime(record.createdAtMs);
  const { signUpAddress: address, undelivered: problem } = record;
  return {
    id: record.id,
    username: record.username,
    domain: isLocal(record) ? null : record.domain,
    created_at: createdAt,
    email: record.email,
    email_problem: problem === undefined ? null : { reason: problem.reason, at: isoTime(problem.atMs) },
    ip: address ?? null,
    ips: address === undefined ? [] : [{ ip: address, used_at: createdAt }],
    locale: record.locale,
    invite_request: record.reason ?? null,
    role: renderRole(record.role),
    confirmed: record.confirmed,
    approved: record.approved,
    disabled: record.disabled,
    silenced: record.silenced === true,
    sensitized: record.sensitized === true,
    suspended: (record.suspendedAtMs ?? 0) > 0,
    account: renderWhole(instance, record),
    created_by_application_id: record.clientId ?? null,
    invited_by_account_id: record.invitedBy ?? null,
  };
}
