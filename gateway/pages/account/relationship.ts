import { Type } from '@sinclair/typebox';
import { isLocal } from '../../../actors/domain/addresses.js';
import type { AccountRelation, StoreAccountRecord } from '../../../proto/gen/types.js';
import { following } from '../../../store/tables.js';
import { entity, nullable, type Shape, time } from '../../http/entity.js';
import type { Services } from '../../http/services.js';
import { isoTime } from '../../paging/iso-time.js';
import { type Soon, soon, together } from '../../paging/soon.js';
import { loadAccounts } from '../../viewing/people-at-hand.js';
import type { ReadServices } from '../../viewing/read-services.js';
import { blocksDomainOf } from '../../viewing/screen.js';
import { relationsTo } from '../../viewing/visible.js';

/** The REST API's Relationship of the viewer to one account. */
export const Relationship = entity('Relationship', {
  id: Type.String(),
  following: Type.Boolean(),
  showing_reblogs: Type.Boolean(),
  notifying: Type.Boolean(),
  languages: nullable(Type.Array(Type.String())),
  followed_by: Type.Boolean(),
  blocking: Type.Boolean(),
  blocked_by: Type.Boolean(),
  muting: Type.Boolean(),
  muting_notifications: Type.Boolean(),
  muting_expires_at: nullable(time()),
  requested: Type.Boolean(),
  requested_by: Type.Boolean(),
  domain_blocking: Type.Boolean(),
  endorsed: Type.Boolean(),
  note: Type.String(),
});
export type Relationship = Shape<typeof Relationship>;

/**
 * Renders relationships in the order of the ids. `known` is the reply that the viewer's actor just gave for one
 * account; the actor is queried for the others.
 */
export function renderRelationships(
  services: ReadServices,
  viewer: string,
  ids: readonly string[],
  known?: AccountRelation,
): Soon<Relationship[]> {
  const asked = known === undefined ? ids : ids.filter((id) => id !== known.target);
  const found = together<[ReadonlyMap<string, AccountRelation>, ReadonlySet<string>]>([
    relationsTo(services, viewer, asked),
    ofBlockedDomains(services, viewer, ids),
  ]);
  return soon(found, ([relations, blocked]) => {
    const relationOf = (id: string) => (id === known?.target ? known : relations.get(id));
    const isFollowedBy = (id: string) => relationOf(id)?.followedBy;
    const unknown = ids.filter((id) => id !== viewer && isFollowedBy(id) === undefined);
    return soon(amongFollowers(services, viewer, unknown), (followers) =>
      ids.map((id) => {
        return renderRelationship(id, relationOf(id), isFollowedBy(id) ?? followers.has(id), blocked.has(id));
      }),
    );
  });
}

/** Renders the relationship to one account, as `renderRelationships` does. */
export function renderRelationshipTo(
  services: ReadServices,
  viewer: string,
  id: string,
  known?: AccountRelation,
): Soon<Relationship> {
  return soon(renderRelationships(services, viewer, [id], known), ([one]) => one as Relationship);
}

/** Renders relationships as JSON. */
export function relationshipsJson(services: ReadServices, viewer: string, ids: readonly string[]): Soon<string> {
  return soon(renderRelationships(services, viewer, ids), (all) => `[${all.map(jsonOf).join(',')}]`);
}

/**
 * JSON after the id of relationships with flags only, by these flags: in practice a handful of the 4,096 combinations.
 */
const rests = new Map<number, string>();

function jsonOf(relationship: Relationship): string {
  const { id, languages, muting_expires_at, note } = relationship;
  if (languages !== null || muting_expires_at !== null || note !== '') return JSON.stringify(relationship);
  const flags = flagsOf(relationship);
  let rest = rests.get(flags);
  if (rest === undefined) {
    rest = JSON.stringify({ ...relationship, id: undefined }).slice(1);
    rests.set(flags, rest);
  }
  return `{"id":"${id}",${rest}`;
}

function flagsOf(of: Relationship): number {
  return (
    (of.following ? 1 : 0) +
    (of.showing_reblogs ? 2 : 0) +
    (of.notifying ? 4 : 0) +
    (of.followed_by ? 8 : 0) +
    (of.blocking ? 16 : 0) +
    (of.blocked_by ? 32 : 0) +
    (of.muting ? 64 : 0) +
    (of.muting_notifications ? 128 : 0) +
    (of.requested ? 256 : 0) +
    (of.requested_by ? 512 : 0) +
    (of.domain_blocking ? 1_024 : 0) +
    (of.endorsed ? 2_048 : 0)
  );
}

const NOBODY: ReadonlySet<string> = new Set();

/**
 * Returns the accounts that follow the viewer, from their own rows: an account's actor does not know all its followers.
 */
function amongFollowers(
  { tables }: Pick<Services, 'tables'>,
  viewer: string,
  ids: readonly string[],
): Soon<ReadonlySet<string>> {
  if (ids.length === 0) return NOBODY;
  const keys = ids.map((id) => ({ account: id, target: viewer }));
  return tables
    .getMany(following, keys)
    .then((edges) => new Set(ids.filter((_, index) => edges[index]?.pending === false)));
}

/** Returns the accounts whose servers the viewer blocks. Local accounts need no query. */
function ofBlockedDomains(
  services: Pick<Services, 'lenses' | 'tables'>,
  viewer: string,
  ids: readonly string[],
): Soon<ReadonlySet<string>> {
  return soon(loadAccounts(services, ids), (records) => {
    const away: StoreAccountRecord[] = [];
    for (const record of records.values()) if (!isLocal(record)) away.push(record);
    if (away.length === 0) return NOBODY;
    return soon(services.lenses.of(viewer), ({ lens: { screen } }) => {
      const blocked = away.filter((record) => blocksDomainOf(screen, record));
      return new Set(blocked.map((record) => record.id));
    });
  });
}

function renderRelationship(
  id: string,
  relation: AccountRelation | undefined,
  followedBy: boolean,
  domainBlocking: boolean,
): Relationship {
  const isFollowing = relation?.following === true || relation?.requested === true;
  return {
    id,
    following: relation?.following ?? false,
    showing_reblogs: isFollowing && relation.reblogs,
    notifying: isFollowing && relation.notify,
    languages: isFollowing ? (relation.limit?.languages ?? null) : null,
    followed_by: followedBy,
    blocking: relation?.blocking ?? false,
    blocked_by: relation?.blockedBy ?? false,
    muting: relation?.muting ?? false,
    muting_notifications: relation?.mutingNotifications ?? false,
    muting_expires_at: relation?.mutingUntilMs ? isoTime(relation.mutingUntilMs) : null,
    requested: relation?.requested ?? false,
    requested_by: relation?.requestedBy ?? false,
    domain_blocking: domainBlocking,
    endorsed: relation?.endorsed ?? false,
    note: relation?.note ?? '',
  };
}
