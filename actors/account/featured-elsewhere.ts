import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Recorded, Slice } from '../runtime/slice.js';
import type { LazyMap } from '../runtime/state/lazy-collections.js';
import { consentOf, isHiddenFrom } from './feature-consent.js';
import type { State as ProfileState } from './profile.js';
import type { RelationState } from './relations.js';
import type { State as StandingState } from './standing.js';

export interface Commands {
  requestFeature: { in: P.AccountRequestFeature; out: P.AccountEmpty };
  featureStamp: { in: P.AccountFeatureStampId; out: P.AccountFeatureStamp };
  endFeaturing: { in: P.AccountEndFeaturing; out: P.AccountEmpty };
}
export interface Events {
  featureAnswered: P.AccountFeatureAnswered;
  featureRevoked: P.AccountFeatureRevoked;
}
/** A permission to feature the account in a collection of another server. */
interface Featuring {
  /** Id of the stamp. */
  readonly id: string;
  /** The account that asked. */
  readonly by: string;
  readonly revoked: boolean;
}
export interface State {
  /** Permissions by the address of the collection, oldest first. At most FEATURED_ELSEWHERE_MAX. */
  readonly featuredElsewhere: LazyMap<string, Featuring>;
}

/** Bounds what other servers can add to one activation. Further requests are refused. */
export const FEATURED_ELSEWHERE_MAX = 200;
/** Longest address of a collection that is stored. Source: longer than those of any known server. */
const URI_CHARS_MAX = 500;

/** Requests of other servers to feature a local account, each of which is answered. Source: FEP-7aa9, FeatureRequest. */
export const featuredElsewhere: Slice<State & ProfileState & RelationState & StandingState, Commands, Events> = {
  decide: {
    requestFeature(state, { by, uri, requestId, follows }, { newId }) {
      const known = state.featuredElsewhere.get(uri);
      if (isHiddenFrom(state, by) || (known !== undefined && known.by !== by))
        return problem('forbidden', 'This action is not allowed');
      const answered = { type: 'featureAnswered' as const, by, uri, requestId };
      const refused = { events: [answered], reply: {} };
      if (known !== undefined)
        return known.revoked ? refused : { events: [{ ...answered, stampId: known.id }], reply: {} };
      const consent = consentOf(state.profile);
      const isWilling = consent === 'public' || (consent === 'followers' && follows);
      const hasRoom = state.featuredElsewhere.size < FEATURED_ELSEWHERE_MAX && uri.length <= URI_CHARS_MAX;
      return isWilling && hasRoom ? { events: [{ ...answered, stampId: newId() }], reply: {} } : refused;
    },
    featureStamp({ featuredElsewhere: all }, { id }) {
      for (const [uri, known] of all) if (known.id === id && !known.revoked) return { events: [], reply: { uri } };
      return problem('not_found', 'Record not found');
    },
    endFeaturing({ featuredElsewhere: all }, { uri }) {
      const known = all.get(uri);
      if (known === undefined) return problem('not_found', 'Record not found');
      const revoked = { type: 'featureRevoked' as const, by: known.by, uri, stampId: known.id };
      return { events: known.revoked ? [] : [revoked], reply: {} };
    },
  },
  apply: {
    featureAnswered({ featuredElsewhere: all }, { by, uri, stampId }) {
      if (stampId !== undefined) all.set(uri, { id: stampId, by, revoked: false });
    },
    featureRevoked({ featuredElsewhere: all }, { by, uri, stampId }) {
      all.set(uri, { id: stampId, by, revoked: true });
    },
  },
  commands: {
    requestFeature: {
      in: codec('murmuration.account.RequestFeature'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: false,
    },
    featureStamp: {
      in: codec('murmuration.account.FeatureStampId'),
      out: codec('murmuration.account.FeatureStamp'),
      repeats: 'query',
      // Collections of other servers name stamps of local accounts.
      local: false,
    },
    endFeaturing: {
      in: codec('murmuration.account.EndFeaturing'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
    },
  },
  events: {
    featureAnswered: { codec: codec('murmuration.account.FeatureAnswered'), invalidates: false },
    featureRevoked: { codec: codec('murmuration.account.FeatureRevoked'), invalidates: false },
  },
};

/** Returns the events that revoke all permissions of one account. */
export function unfeatured({ featuredElsewhere: all }: State, by: string): Recorded<Pick<Events, 'featureRevoked'>>[] {
  const theirs = [...all].filter(([, known]) => known.by === by && !known.revoked);
  return theirs.map(([uri, { id }]) => ({ type: 'featureRevoked', by, uri, stampId: id }));
}
