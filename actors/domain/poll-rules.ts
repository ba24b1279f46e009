import type { AccountNewPoll } from '../../proto/gen/types.js';
import type { Problem } from './problem.js';
import { countChars } from './text/plain-text.js';
import { invalidField } from './text/status-text.js';

/** Source: Mastodon PollOptionsValidator. */
export const POLL_OPTIONS_MAX = 4;
/** Source: Mastodon PollOptionsValidator. */
export const POLL_OPTION_CHARS_MAX = 50;
/** Source: Mastodon PollExpirationValidator, five minutes. */
export const POLL_MS_MIN = 300_000;
/** Source: Mastodon PollExpirationValidator, one month. */
export const POLL_MS_MAX = 2_629_746_000;

const POLL_OPTIONS_MIN = 2;

/** Returns the refusal of an invalid poll. */
export function pollProblem({ options, expiresInMs }: AccountNewPoll): Problem | undefined {
  if (options.length < POLL_OPTIONS_MIN) return refusedOptions('ERR_TOO_SHORT', 'must have more than one item');
  if (options.length > POLL_OPTIONS_MAX)
    return refusedOptions('ERR_TOO_LONG', `can't contain more than ${POLL_OPTIONS_MAX} items`);
  if (options.some((option) => countChars(option) > POLL_OPTION_CHARS_MAX))
    return refusedOptions('ERR_TOO_LONG', `can't be longer than ${POLL_OPTION_CHARS_MAX} characters each`);
  if (new Set(options).size < options.length) return refusedOptions('ERR_TAKEN', 'contain duplicate items');
  if (expiresInMs < POLL_MS_MIN) return refusedDuration('ERR_TOO_SHORT', 'is too soon');
  if (expiresInMs > POLL_MS_MAX) return refusedDuration('ERR_TOO_LONG', 'is too far into the future');
  return undefined;
}

const refusedOptions = (error: string, why: string) => invalidField('options', 'Options', error, why);
const refusedDuration = (error: string, why: string) => invalidField('expires_at', 'Expires at', error, why);
