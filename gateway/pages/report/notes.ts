import { Type } from '@sinclair/typebox';
import type { AccountModerationNote, InstanceReportNote } from '../../../proto/gen/types.js';
import { entity, nullable, type Shape, time } from '../../http/entity.js';
import { isoTime } from '../../paging/iso-time.js';
import { loadAccounts } from '../../viewing/people-at-hand.js';
import type { ReadServices } from '../../viewing/read-services.js';
import { Account, renderAccount } from '../account/account.js';

const properties = {
  /** Null: the moderator's account is deleted. */
  account: nullable(Account),
  content: Type.String(),
  created_at: time(),
};

/** A moderator's note on a report, for the others. Mastodon's API has no such entity. */
export const AdminReportNote = entity('AdminReportNote', properties);
export type AdminReportNote = Shape<typeof AdminReportNote>;

/** A moderator's note about an account, for the others. Mastodon's API has no such entity. */
export const AdminAccountNote = entity('AdminAccountNote', { id: Type.String(), ...properties });
export type AdminAccountNote = Shape<typeof AdminAccountNote>;

/** Renders notes on a report in their order. @throws Unavailable */
export async function renderReportNotes(services: ReadServices, notes: readonly InstanceReportNote[]) {
  const people = await loadAccounts(services, [...new Set(notes.map(({ by }) => by))]);
  return notes.map(({ by, text, atMs }) => {
    const author = people.get(by);
    const account = author === undefined ? null : renderAccount(services.instance, author);
    return { account, content: text, created_at: isoTime(atMs) };
  });
}

/** Renders notes about an account in their order. @throws Unavailable */
export async function renderAccountNotes(services: ReadServices, notes: readonly AccountModerationNote[]) {
  const rendered = await renderReportNotes(services, notes);
  return rendered.map((note, place) => ({ id: notes[place]?.id ?? '', ...note }));
}
