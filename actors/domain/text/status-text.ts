import { type Problem, problem } from '../problem.js';
import { countChars } from './plain-text.js';

/** Characters of text and spoiler together, counted by `countChars`. Source: Mastodon StatusLengthValidator. */
export const STATUS_CHARS_MAX = 500;

/** The refusal of a text that is too long, even if it was not read completely. */
export const TEXT_TOO_LONG = { field: 'text', description: `character limit of ${STATUS_CHARS_MAX} exceeded` } as const;

/** Returns the refusal of a new or edited text. `mayBeEmpty`: the status also has media or a poll. */
export function textProblem(text: string, spoilerText: string, mayBeEmpty = false): Problem | undefined {
  if (text.trim() === '' && !mayBeEmpty) return invalidField('text', 'Text', 'ERR_BLANK', "can't be blank");
  if (countChars(text) + countChars(spoilerText) > STATUS_CHARS_MAX)
    return invalidField(TEXT_TOO_LONG.field, 'Text', 'ERR_TOO_LONG', TEXT_TOO_LONG.description);
  return undefined;
}

/** Refuses media together with a poll. Source: Mastodon PostStatusService#validate_media!. */
export function mixtureProblem(hasMedia: boolean, hasPoll: boolean): Problem | undefined {
  if (!hasMedia || !hasPoll) return undefined;
  return invalidField('media_ids', 'Media attachments', 'ERR_INVALID', 'cannot be beside a poll');
}

/** Returns a validation problem of one field. */
export function invalidField(field: string, label: string, error: string, description: string): Problem {
  return problem('invalid', `Validation failed: ${label} ${description}`, { [field]: [{ error, description }] });
}
