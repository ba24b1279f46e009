/** The REST API's Role. */
export interface Role {
  readonly id: string;
  readonly name: string;
  readonly color: string;
  /** A sum of flags as a decimal string. Source: Mastodon UserRole::FLAGS. */
  readonly permissions: string;
  readonly highlighted: boolean;
  readonly collection_limit: number;
}

/** What everybody sees of a role. */
export type AccountRole = Pick<Role, 'id' | 'name' | 'color'>;

const none = 0;
/** view_audit_log, view_dashboard, manage_reports, manage_taxonomies, manage_users. */
const moderation = (1 << 2) | (1 << 3) | (1 << 4) | (1 << 8) | (1 << 10);
/** Flags 2 to 19 but invite_users (16): there are no invitations. */
const administration = ((1 << 20) - 1) & ~0b11 & ~(1 << 16);
/** administrator: everything. */
const everything = 1;

/** Ids are those of Mastodon's default roles, which clients know. */
const roles: Readonly<Record<string, Role>> = {
  moderator: staff('1', 'Moderator', moderation),
  admin: staff('2', 'Admin', administration),
  owner: staff('3', 'Owner', everything),
};

const everyone: Role = {
  id: '-99',
  name: '',
  color: '',
  permissions: String(none),
  highlighted: false,
  collection_limit: 0,
};

/** The role by its stored name; names without a role of their own are everyone's. */
export function renderRole(name: string): Role {
  return roles[name] ?? everyone;
}

/** The roles shown beside an account's name. */
export function renderAccountRoles(name: string): AccountRole[] {
  const role = renderRole(name);
  return role.highlighted ? [{ id: role.id, name: role.name, color: role.color }] : [];
}

function staff(id: string, name: string, permissions: number): Role {
  return { id, name, color: '', permissions: String(permissions), highlighted: true, collection_limit: 0 };
}
