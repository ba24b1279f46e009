import { PushFigures } from '../../../actors/push/figures.js';
import type { PushContext } from '../../../actors/reactions/push.js';

/** Returns a context for tests that ignore pushes: none is sent. */
export const silentPushes = (): PushContext => ({
  alerts: { of: async () => 'hidden' },
  sender: { send: async () => ({ kind: 'sent' }) },
  clock: { nowMs: () => 0 },
  random: { bytes: (count) => new Uint8Array(count), fraction: () => 0 },
  figures: new PushFigures(),
});
