import { Type } from '@sinclair/typebox';
import type { Approval, Permitted } from '../../actors/domain/quoting.js';
import { oneOf, type Shape } from '../http/entity.js';

const PERMITTED = ['nobody', 'public', 'followers'] as const;
const CURRENT = ['denied', 'automatic', 'manual'] as const;

/** The fields of the REST API's QuoteApproval and FeatureApproval. */
export const approvalFields = {
  automatic: Type.Array(oneOf('public', 'followers')),
  manual: Type.Array(oneOf('public', 'followers')),
  current_user: oneOf('automatic', 'manual', 'denied'),
};
type ApprovalEntity = { readonly [K in keyof typeof approvalFields]: Shape<(typeof approvalFields)[K]> };

const named = (permitted: (typeof PERMITTED)[number]) => (permitted === 'nobody' ? [] : [permitted]);

/** All different approvals, by their index. */
export const APPROVALS: readonly ApprovalEntity[] = PERMITTED.flatMap((automatic) =>
  PERMITTED.flatMap((manual) =>
    CURRENT.map((current_user) => ({ automatic: named(automatic), manual: named(manual), current_user })),
  ),
);

/** Returns the index of an approval. `current`: the permission of the viewer. */
export function approvalIndex(automatic: Permitted, manual: Permitted, current: Approval): number {
  const classes = PERMITTED.indexOf(automatic) * PERMITTED.length + PERMITTED.indexOf(manual);
  return classes * CURRENT.length + CURRENT.indexOf(current);
}

export const approval = (index: number): ApprovalEntity => APPROVALS[index] as ApprovalEntity;
