import { Type } from '@sinclair/typebox';
import { nullable, time } from '../http/entity.js';
import { Account, renderAccount } from '../pages/account/account.js';
import { isoTime } from '../paging/iso-time.js';
import { loadAccounts } from '../viewing/people-at-hand.js';
import type { ReadServices } from '../viewing/read-services.js';

/** A moderator's note, as it is stored. */
interface StoredNote {
  readonly by: string;
  readonly text: string;
  readonly atMs: number;
}

/** Properties of every note of a moderator, for the others. Mastodon's API has no such entity. */
export const noteProperties = {
  /** Null: the moderator's account is deleted. */
  account: nullable(Account),
  content: Type.String(),
  created_at: time(),
};

/** Renders notes in their order. @throws Unavailable */
export async function renderNotes(services: ReadServices, notes: readonly StoredNote[]) {
  const people = await loadAccounts(services, [...new Set(notes.map(({ by }) => by))]);
  return notes.map(({ by, text, atMs }) => {
    const author = people.get(by);
    const account = author === undefined ? null : renderAccount(services.instance, author);
    return { account, content: text, created_at: isoTime(atMs) };
  });
}
