/** Permissions of roles, as bits. Source: Mastodon, UserRole::FLAGS. */
export const PERMISSIONS = {
  administrator: 1,
  view_devops: 1 << 1,
  view_audit_log: 1 << 2,
  view_dashboard: 1 << 3,
  manage_reports: 1 << 4,
  manage_federation: 1 << 5,
  manage_settings: 1 << 6,
  manage_blocks: 1 << 7,
  manage_taxonomies: 1 << 8,
  manage_appeals: 1 << 9,
  manage_users: 1 << 10,
  manage_invites: 1 << 11,
  manage_rules: 1 << 12,
  manage_announcements: 1 << 13,
  manage_custom_emojis: 1 << 14,
  manage_webhooks: 1 << 15,
  invite_users: 1 << 16,
  manage_roles: 1 << 17,
  manage_user_access: 1 << 18,
  delete_user_data: 1 << 19,
} as const;
export type Permission = keyof typeof PERMISSIONS;

const { administrator, view_devops, invite_users, ...staff } = PERMISSIONS;
const sum = (bits: readonly number[]): number => bits.reduce((all, bit) => all | bit, 0);

const OF_ROLE: Readonly<Record<string, number>> = {
  moderator: sum([
    staff.view_audit_log,
    staff.view_dashboard,
    staff.manage_reports,
    staff.manage_taxonomies,
    staff.manage_users,
    invite_users,
  ]),
  admin: sum([...Object.values(staff), invite_users]),
  owner: administrator,
};

/** Returns the permission bits of a role by its stored name. */
export const permissionsOf = (role: string): number => OF_ROLE[role] ?? 0;

/** True if the role has the permission. `administrator` has all of them. */
export function isPermitted(role: string, permission: Permission): boolean {
  const bits = permissionsOf(role);
  return (bits & (administrator | PERMISSIONS[permission])) !== 0;
}

/** Returns the rank of a role. Nobody can moderate accounts of the same or a higher rank. */
export const rankOf = (role: string): number => ['user', 'moderator', 'admin', 'owner'].indexOf(role);
