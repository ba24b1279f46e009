import { Type } from '@sinclair/typebox';
import { COLLECTIONS_MAX } from '../../../actors/account/collections.js';
import { permissionsOf } from '../../../actors/domain/permissions.js';
import { entity, type Shape } from '../../http/entity.js';

/** The REST API's Role. */
export const Role = entity('Role', {
  id: Type.String(),
  name: Type.String(),
  color: Type.String(),
  /** Sum of flags as a decimal string. Source: Mastodon UserRole::FLAGS. */
  permissions: Type.String(),
  highlighted: Type.Boolean(),
  collection_limit: Type.Integer(),
});
export type Role = Shape<typeof Role>;

/** Public fields of a role. */
export const AccountRole = entity('AccountRole', Type.Pick(Role, ['id', 'name', 'color']).properties);
export type AccountRole = Shape<typeof AccountRole>;

/** Ids are those of Mastodon's default roles, which clients know. */
const roles: Readonly<Record<string, Role>> = {
  moderator: staff('1', 'Moderator', 'moderator'),
  admin: staff('2', 'Admin', 'admin'),
  owner: staff('3', 'Owner', 'owner'),
};

const everyone: Role = {
  id: '-99',
  name: '',
  color: '',
  permissions: '0',
  highlighted: false,
  collection_limit: COLLECTIONS_MAX,
};

/** Returns a role by its stored name; unknown names have the role of everyone. */
export function renderRole(name: string): Role {
  return roles[name] ?? everyone;
}

/** Returns the roles shown beside an account's name. */
export function renderAccountRoles(name: string): AccountRole[] {
  const role = renderRole(name);
  return role.highlighted ? [{ id: role.id, name: role.name, color: role.color }] : [];
}

function staff(id: string, name: string, stored: string): Role {
  const permissions = String(permissionsOf(stored));
  return { id, name, color: '', permissions, highlighted: true, collection_limit: COLLECTIONS_MAX };
}
