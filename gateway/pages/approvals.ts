import { Type } from '@sinclair/typebox';
import type { Approval, Permitted } from '../../actors/domain/quoting.js';
import { oneOf, type Shape } from '../http/entity.js';

/** Places of the values: each status of each page needs three, and a search of a list takes longer. */
const PERMITTED_AT = { nobody: 0, public: 1, followers: 2 } as const satisfies Record<Permitted, number>;
const CURRENT_AT = { denied: 0, automatic: 1, manual: 2 } as const satisfies Record<Approval, number>;
const PERMITTED = Object.keys(PERMITTED_AT) as Permitted[];
const CURRENT = Object.keys(CURRENT_AT) as Approval[];

/** The fields of the REST API's QuoteApproval and FeatureApproval. */
export const approvalFields = {
  automatic: Type.Array(oneOf('public', 'followers')),
  manual: Type.Array(oneOf('public', 'followers')),
  current_user: oneOf('automatic', 'manual', 'denied'),
};
type ApprovalEntity = { readonly [K in keyof typeof approvalFields]: Shape<(typeof approvalFields)[K]> };

const named = (permitted: Permitted) => (permitted === 'nobody' ? [] : [permitted]);

/** All different approvals, by their index. */
export const APPROVALS: readonly ApprovalEntity[] = PERMITTED.flatMap((automatic) =>
  PERMITTED.flatMap((manual) =>
    CURRENT.map((current_user) => ({ automatic: named(automatic), manual: named(manual), current_user })),
  ),
);

/** Returns the index of an approval. `current`: the permission of the viewer. */
export function approvalIndex(automatic: Permitted, manual: Permitted, current: Approval): number {
  const classes = PERMITTED_AT[automatic] * PERMITTED.length + PERMITTED_AT[manual];
  return classes * CURRENT.length + CURRENT_AT[current];
}

export const approval = (index: number): ApprovalEntity => APPROVALS[index] as ApprovalEntity;
