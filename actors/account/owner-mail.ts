import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { isMailList } from '../domain/mail-lists.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import type { LazySet } from '../runtime/state/lazy-collections.js';
import type { State as RegisterState } from './register.js';

export interface Commands {
  noteUndelivered: { in: P.AccountNoteUndelivered; out: P.AccountEmpty };
  chooseMails: { in: P.AccountChooseMails; out: P.AccountEmpty };
  noteRepeatedSignUp: { in: P.AccountEmpty; out: P.AccountEmpty };
  noteArchive: { in: P.AccountNoteArchive; out: P.AccountEmpty };
}
export interface Events {
  undelivered: P.AccountUndelivered;
  mailsChosen: P.AccountMailsChosen;
  signUpRepeated: P.AccountSignUpRepeated;
  archiveReady: P.AccountArchiveReady;
}
export interface State extends RegisterState {
  /** Lists whose mails the owner does not want. */
  readonly endedMails: LazySet<string>;
  /** Time of the last mail about a sign-up with the address of this account; 0: never. */
  signUpRepeatedAtMs: number;
}

/** Minimum interval between two mails about sign-ups, so that strangers cannot flood the owner's inbox. */
export const REPEATED_SIGN_UP_PAUSE_MS = 86_400_000;

const empty = codec('murmuration.account.Empty');
const NOTHING = { events: [], reply: {} };

/** The outcome of mails to the owner, and the mails that the owner wants. */
export const ownerMail: Slice<State, Commands, Events> = {
  decide: {
    noteUndelivered({ owner }, { email, reason }, { nowMs }) {
      // A mail to a former address says nothing about the present one.
      if (owner === undefined || owner.email !== email) return NOTHING;
      return { events: [{ type: 'undelivered', reason, atMs: nowMs }], reply: {} };
    },
    chooseMails({ owner, endedMails }, { list, wanted }) {
      if (owner === undefined || !isMailList(list)) return problem('not_found', 'Record not found');
      if (endedMails.has(list) !== wanted) return NOTHING;
      return { events: [{ type: 'mailsChosen', list, wanted }], reply: {} };
    },
    noteRepeatedSignUp({ owner, signUpRepeatedAtMs }, _command, { nowMs }) {
      // An address that is not confirmed may be a stranger's.
      const isPaused = signUpRepeatedAtMs > 0 && nowMs - signUpRepeatedAtMs < REPEATED_SIGN_UP_PAUSE_MS;
      if (owner?.confirmed !== true || isPaused) return NOTHING;
      return { events: [{ type: 'signUpRepeated', atMs: nowMs }], reply: {} };
    },
    noteArchive: ({ owner }, { expiresMs }) =>
      owner === undefined ? NOTHING : { events: [{ type: 'archiveReady', expiresMs }], reply: {} },
  },
  apply: {
    archiveReady() {},
    signUpRepeated(state, { atMs }) {
      state.signUpRepeatedAtMs = atMs;
    },
    undelivered({ owner }, event) {
      if (owner !== undefined) owner.undelivered = { reason: event.reason, atMs: event.atMs };
    },
    mailsChosen({ endedMails }, { list, wanted }) {
      if (wanted) endedMails.delete(list);
      else endedMails.add(list);
    },
  },
  commands: {
    noteUndelivered: {
      in: codec('murmuration.account.NoteUndelivered'),
      out: empty,
      repeats: 'keyed',
      local: true,
      remote: 'ignores',
    },
    noteArchive: { in: codec('murmuration.account.NoteArchive'), out: empty, repeats: 'keyed', local: true },
    noteRepeatedSignUp: { in: empty, out: empty, repeats: 'idempotent', local: true },
    chooseMails: { in: codec('murmuration.account.ChooseMails'), out: empty, repeats: 'idempotent', local: true },
  },
  events: {
    undelivered: { codec: codec('murmuration.account.Undelivered'), invalidates: false },
    mailsChosen: { codec: codec('murmuration.account.MailsChosen'), invalidates: false },
    archiveReady: { codec: codec('murmuration.account.ArchiveReady'), invalidates: false },
    signUpRepeated: { codec: codec('murmuration.account.SignUpRepeated'), invalidates: false },
  },
};
