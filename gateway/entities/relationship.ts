import type { AccountRelation } from '../../proto/gen/types.js';
import { following } from '../../store/tables.js';
import { blocksDomainOf } from '../screening/screen.js';
import type { Services } from '../services.js';
import { askRelations } from '../visible.js';
import { loadAccounts } from './status.js';
import { isoTime } from './time.js';

/** The REST API's Relationship: the viewer's to one account. */
export interface Relationship {
  readonly id: string;
  readonly following: boolean;
  readonly showing_reblogs: boolean;
  readonly notifying: boolean;
  readonly languages: readonly string[] | null;
  readonly followed_by: boolean;
  readonly blocking: boolean;
  readonly blocked_by: boolean;
  readonly muting: boolean;
  readonly muting_notifications: boolean;
  readonly muting_expires_at: string | null;
  readonly requested: boolean;
  readonly requested_by: boolean;
  readonly domain_blocking: boolean;
  readonly endorsed: boolean;
  readonly note: string;
}

/** Relationships in the order of the ids; `known`: what the viewer's actor has just said, else it is asked. */
export async function renderRelationships(
  services: Services,
  viewer: string,
  ids: readonly string[],
  known?: AccountRelation,
): Promise<Relationship[]> {
  const asked = ids.filter((id) => id !== known?.target);
  const [relations, followers, blocked] = await Promise.all([
    askRelations(services, viewer, asked),
    // Whether others follow is what their own rows say: an account's state does not hold all its followers.
    services.tables.getMany(
      following,
      ids.map((id) => ({ account: id, target: viewer })),
    ),
    ofBlockedDomains(services, viewer, ids),
  ]);
  return ids.map((id, index) => {
    const relation = id === known?.target ? known : relations.get(id);
    return renderRelationship(id, relation, followers[index]?.pending === false, blocked.has(id));
  });
}

const NOBODY: ReadonlySet<string> = new Set();

/** Those whose servers the viewer blocks; for people of this server nobody is asked. */
async function ofBlockedDomains(
  services: Services,
  viewer: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const away = [...(await loadAccounts(services, ids)).values()].filter((record) => record.domain !== '');
  if (away.length === 0) return NOBODY;
  const { screen } = (await services.lenses.of(viewer)).relations;
  return new Set(away.filter((record) => blocksDomainOf(screen, record)).map((record) => record.id));
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
