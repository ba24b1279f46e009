import { objectsOf } from '../../actors/federation/documents/objects.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';
import { emojiIn } from '../settings/custom-emoji.js';
import type { VisibleStatus } from '../viewing/visible-status.js';

/**
 * Renders statuses of one local author, which the receiver may see, as objects or as the activities that published
 * them. @throws Unavailable
 */
export function visibleObjects(
  { tables, instance, clock }: Pick<Services, 'tables' | 'instance' | 'clock'>,
  author: StoreAccountRecord,
  seen: readonly VisibleStatus[],
  as: 'object' | 'activity',
): Promise<object[]> {
  const { baseUrl, domain } = instance;
  const rendering = {
    ...{ tables, baseUrl, domain },
    emojiIn: (...texts: readonly string[]) => emojiIn(instance, ...texts),
    nowMs: () => clock.nowMs(),
  };
  const shown = seen.map(({ record, original, quote }) => ({
    ...{ record, original },
    quoted: quote?.state === 'accepted' ? quote.quoted?.record : undefined,
  }));
  return objectsOf(rendering, author, shown, as);
}
