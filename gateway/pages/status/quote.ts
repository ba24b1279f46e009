import { Type } from '@sinclair/typebox';
import { type Quotable, quotableBy, quotableOnRequest, quoteApproval } from '../../../actors/domain/quoting.js';
import { entity, nullable, oneOf, type Shape } from '../../http/entity.js';
import type { SeenQuote } from '../../viewing/visible-status.js';
import { approvalFields, approvalIndex } from '../approvals.js';

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
export const QuoteApproval = entity('QuoteApproval', approvalFields);
export type QuoteApproval = Shape<typeof QuoteApproval>;

/** Renders the quote of a status that is quoted itself. */
export const shallowQuote = ({ state, quoted }: SeenQuote): ShallowQuote => ({
  state,
  quoted_status_id: quoted?.record.id ?? null,
});

/** Returns the index of a status' approval for a viewer. `follows`: the viewer follows its author. */
export const approvalOf = (status: Quotable, viewer: string | undefined, follows: boolean): number =>
  approvalIndex(quotableBy(status), quotableOnRequest(status), quoteApproval(status, viewer, follows));
