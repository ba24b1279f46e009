import { Type } from '@sinclair/typebox';
import { storedId } from '../../../../actors/domain/ids.js';
import { isPermitted, PERMISSIONS, type Permission } from '../../../../actors/domain/permissions.js';
import { staff } from '../../../../store/moderation-tables.js';
import { RANGE_LIMIT_MAX } from '../../../../store/port.js';
import { auditPage, rolesPage } from '../../../html/moderation/staff-pages.js';
import type { AnyRoute } from '../../../http/route.js';
import { auditOf } from '../../../moderation/audit.js';
import { renderAccount } from '../../../pages/account/account.js';
import { renderRole } from '../../../pages/account/role.js';
import { idText } from '../../../paging/bounds.js';
import { loadAccounts } from '../../../viewing/people-at-hand.js';
import { personalPage } from '../personal.js';

const AUDIT = '/moderation/audit';
const PAGE = 40;
const ROLES = ['owner', 'admin', 'moderator'] as const;

const audit = personalPage(
  { path: AUDIT, permission: 'view_audit_log', query: Type.Object({ before: Type.Optional(idText()) }) },
  async ({ site, reader, request }) => {
    const { before } = request.query;
    const acts = await auditOf(request.services, PAGE, before === undefined ? undefined : storedId(before));
    const last = acts.length < PAGE ? undefined : acts.at(-1);
    return auditPage(site, reader, {
      acts,
      newer: before === undefined ? undefined : AUDIT,
      older: last === undefined ? undefined : `${AUDIT}?before=${last.id}`,
    });
  },
);

const roles = personalPage({ path: '/moderation/roles', permission: 'manage_roles' }, async (personal) => {
  const { services } = personal.request;
  const rows = await services.tables.range(staff, { century: 0 }, { limit: RANGE_LIMIT_MAX });
  const people = await loadAccounts(
    services,
    rows.map(({ key }) => key.account),
  );
  const found = ROLES.map((name) => ({
    name: renderRole(name).name,
    permissions: (Object.keys(PERMISSIONS) as Permission[]).filter((one) => isPermitted(name, one)),
    people: [...people.values()]
      .filter(({ role }) => role === name)
      .map((record) => renderAccount(services.instance, record)),
  }));
  return rolesPage(personal.site, personal.reader, found);
});

/** Pages about moderators themselves: their acts and their roles. */
export const staffPageRoutes: readonly AnyRoute[] = [audit, roles];
