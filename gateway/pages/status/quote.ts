import { mayQuote, type Quotable, quotableBy } from '../../../actors/domain/quoting.js';
import type { SeenQuote } from '../../viewing/visible-status.js';

/** The REST API's ShallowQuote: the form of a quote within a quoted status. */
export interface ShallowQuote {
  readonly state: string;
  readonly quoted_status_id: string | null;
}

/** The REST API's QuoteApproval. */
export interface QuoteApproval {
  readonly automatic: readonly string[];
  readonly manual: readonly string[];
  readonly current_user: string;
}

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
