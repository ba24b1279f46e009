import type { ActivityHandler } from '../inbox/port.js';
import { accept } from './accept.js';
import { announce } from './announce.js';
import { block } from './block.js';
import { add, removeFrom } from './collections.js';
import { create } from './create.js';
import { remove } from './delete.js';
import { flag } from './flag.js';
import { follow } from './follow.js';
import { like } from './like.js';
import { move } from './move.js';
import { featureRequest } from './permissions/feature-request.js';
import { quoteRequest } from './permissions/quote-request.js';
import { reject } from './reject.js';
import { undo } from './undo.js';
import { update } from './update.js';

/** Handlers by type of activity. Activities of other types have no effect. */
export const HANDLERS: ReadonlyMap<string, ActivityHandler> = new Map([
  ['Accept', accept],
  ['Add', add],
  ['Announce', announce],
  ['Block', block],
  ['Create', create],
  ['Delete', remove],
  ['EmojiReact', like],
  ['FeatureRequest', featureRequest],
  ['Flag', flag],
  ['Follow', follow],
  ['Like', like],
  ['Move', move],
  ['QuoteRequest', quoteRequest],
  ['Reject', reject],
  ['Remove', removeFrom],
  ['Undo', undo],
  ['Update', update],
]);
