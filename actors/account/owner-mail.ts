import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { isMailList } from '../domain/mail-lists.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import type { State as RegisterState } from './register.js';

export interface Commands {
  noteUndelivered: { in: P.AccountNoteUndelivered; out: P.AccountEmpty };
  chooseMails: { in: P.AccountChooseMails; out: P.AccountEmpty };
}
export interface Events {
  undelivered: P.AccountUndelivered;
  mailsChosen: P.AccountMailsChosen;
}
export interface State extends RegisterState {
  /** Lists whose mails the owner does not want. */
  readonly endedMails: Set<string>;
}

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
  },
  apply: {
    undelivered({ owner }, event) {
      if (owner !== undefined) owner.undelivered = { reason: event.reason, atMs: event.atMs };
    },
    mailsChosen({ endedMails }, { list, wanted }) {
      if (wanted) endedMails.delete(list);
      else endedMails.add(list);
    },
  },
  commands: {
    noteUndelivered: { in: codec('murmuration.account.NoteUndelivered'), out: empty, repeats: 'keyed', local: true },
    chooseMails: { in: codec('murmuration.account.ChooseMails'), out: empty, repeats: 'idempotent', local: true },
  },
  events: {
    undelivered: { codec: codec('murmuration.account.Undelivered'), invalidates: false },
    mailsChosen: { codec: codec('murmuration.account.MailsChosen'), invalidates: false },
  },
};
