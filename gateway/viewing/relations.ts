import type { Relation } from '../../actors/domain/visibility.js';
import type { AccountRelation } from '../../proto/gen/types.js';
import type { Screen } from './screen.js';

/** Known relation of the viewer to an account. Mutes are present only if they were requested by name. */
export type KnownRelation = Relation & Partial<Pick<AccountRelation, 'muting' | 'mutingNotifications'>>;
/**
 * The viewer's relations to accounts, together with the viewer's filters, so that no caller passes one without the
 * other.
 */
export interface Relations {
  (accountId: string): KnownRelation | undefined;
  /** Present only for viewers who have filters, blocked domains or language limits. */
  readonly screen?: Screen;
}
