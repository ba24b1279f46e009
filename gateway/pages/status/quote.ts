import { Type } from '@sinclair/typebox';
import { mayQuote, type Quotable, quotableBy } from '../../../actors/domain/quoting.js';
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
  current_user: oneOf('automatic', 'denied'),
});
export type QuoteApproval = Shape<typeof QuoteApproval>;

/** Renders the quote of a status that is quoted itself. */
export const shallowQuote = ({ state, quoted }: SeenQuote): ShallowQuote => ({
  state,
  quoted_status_id: quoted?.record.id ?? null,
});

const NAMES = ['nobody', 'public', 'followers'] as const;
/** Number of different approvals. */
export const APPROVALS = NAMES.length * 2;

const approvals: readonly QuoteApproval[] = NAMES.flatMap((name) =>
  ['denied', 'automatic'].map((current_user) => ({
    automatic: name === 'nobody' ? [] : [name],
    manual: [],
    current_user,
  })),
);

/** Returns the index of a status' approval for a viewer. `follows`: the viewer follows its author. */
export function approvalOf(status: Quotable, viewer: string | undefined, follows: boolean): number {
  return NAMES.indexOf(quotableBy(status)) * 2 + (mayQuote(status, viewer, follows) ? 1 : 0);
}

export const approval = (kind: number): QuoteApproval => approvals[kind] as QuoteApproval;
