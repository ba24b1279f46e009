import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import type { Slice } from '../runtime/slice.js';

export interface Commands {
  post: { in: P.MailPost; out: P.MailEmpty };
  /** The runtime answers the alarm by which mails that were sent are forgotten; there is no other. */
  alarm: { in: P.StoreAlarmCall; out: P.MailEmpty };
}
export interface Events {
  posted: P.MailPosted;
}
/** Stands in a mail's text for the token of its link. Texts with a link contain nothing that people write. */
export const TOKEN_PLACE = '{token}';

/** Nothing is decided by what was sent before. */
export type State = Readonly<Record<string, never>>;

/** Mails to one account, in order. What is accepted here is sent by the reaction to it (reactions/mailbox.ts). */
export const mailbox: Slice<State, Commands, Events> = {
  decide: {
    post: (_state, mail, { nowMs }) => ({ events: [{ type: 'posted', ...mail, atMs: nowMs }], reply: {} }),
    alarm: () => ({ events: [], reply: {} }),
  },
  apply: { posted: () => undefined },
  commands: {
    post: { in: codec('murmuration.mail.Post'), out: codec('murmuration.mail.Empty'), repeats: 'idempotent' },
    alarm: { in: codec('murmuration.store.AlarmCall'), out: codec('murmuration.mail.Empty'), repeats: 'idempotent' },
  },
  // Nothing needs a mail once it was sent.
  events: { posted: { codec: codec('murmuration.mail.Posted'), invalidates: false, forgets: true } },
};
