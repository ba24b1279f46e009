import { Type } from '@sinclair/typebox';
import { type Quotable, quotableBy, quotableOnRequest, quoteApproval } from '../../../actors/domain/quoting.js';
import { entity, nullable, oneOf, type Shape } from '../../http/entity.js';
import type { SeenQuote } from '../../viewing/visible-status.js';

export const quoteState = oneOf(
  'pending',
  'accepted',
  'rejected',
  'revoked',
  'deleted',
  'unauthorized',
  'blocked_account',
  'blocked_domain',
  'muted_account',
);

/** The REST API's ShallowQuote: the form of a quote within a quoted status. */
export const ShallowQuote = entity('ShallowQuote', {
  state: quoteState,
  quoted_status_id: nullable(Type.String()),
});
export type ShallowQuote = Shape<typeof ShallowQuote>;

/** The REST API's QuoteApproval. */
export const QuoteApproval = entity('QuoteApproval', {
  automatic: Type.Array(oneOf('public', 'followers')),
  manual: Type.Array(oneOf('public', 'followers')),
  current_user: oneOf('automatic', 'manual', 'denied'),
});
export type QuoteApproval = Shape<typeof QuoteApproval>;

/** Renders the quote of a status that is quoted itself. */
export const shallowQuote = ({ state, quoted }: SeenQuote): ShallowQuote => ({
  state,
  quoted_status_id: quoted?.record.id ?? null,
});

const QUOTERS = ['nobody', 'public', 'followers'] as const;
const CURRENT = ['denied', 'automatic', 'manual'] as const;
/** Number of different approvals. */
export const APPROVALS = QUOTERS.length * QUOTERS.length * CURRENT.length;

const named = (quoters: (typeof QUOTERS)[number]) => (quoters === 'nobody' ? [] : [quoters]);

const approvals: readonly QuoteApproval[] = QUOTERS.flatMap((automatic) =>
  QUOTERS.flatMap((manual) =>
    CURRENT.map((current_user) => ({ automatic: named(automatic), manual: named(manual), current_user })),
  ),
);

/** Returns the index of a status' approval for a viewer. `follows`: the viewer follows its author. */
export function approvalOf(status: Quotable, viewer: string | undefined, follows: boolean): number {
  const classes = QUOTERS.indexOf(quotableBy(status)) * QUOTERS.length + QUOTERS.indexOf(quotableOnRequest(status));
  return classes * CURRENT.length + CURRENT.indexOf(quoteApproval(status, viewer, follows));
}

export const approval = (kind: number): QuoteApproval => approvals[kind] as QuoteApproval;
