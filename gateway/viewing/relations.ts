import type { Relation } from '../../actors/domain/visibility.js';
import type { AccountRelation } from '../../proto/gen/types.js';
import type { Screen } from './screen.js';

/** What is known of the viewer's relation to somebody; mutes only where it was asked for by name. */
export type KnownRelation = Relation & Partial<Pick<AccountRelation, 'muting' | 'mutingNotifications'>>;
/** The viewer's relations to some accounts; and the viewer's filters, so that nobody passes the one without the other. */
export interface Relations {
  (accountId: string): KnownRelation | undefined;
  /** Only of viewers who have any. */
  readonly screen?: Screen;
}
