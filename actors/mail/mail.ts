import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import type { Slice } from '../runtime/slice.js';

export interface Commands {
  post: { in: P.MailPost; out: P.MailEmpty };
  /** The runtime handles the only alarm, which removes sent mails from the journal. */
  alarm: { in: P.StoreAlarmCall; out: P.MailEmpty };
}
export interface Events {
  posted: P.MailPosted;
}

/** The actor decides without state. */
export type State = Readonly<Record<string, never>>;

/** Mails to one account, in order. The reaction to an accepted mail sends it (reactions/mail.ts). */
export const outgoingMail: Slice<State, Commands, Events> = {
  decide: {
    post: (_state, mail, { nowMs }) => ({ events: [{ type: 'posted', ...mail, atMs: nowMs }], reply: {} }),
    alarm: () => ({ events: [], reply: {} }),
  },
  apply: { posted: () => undefined },
  commands: {
    post: {
      in: codec('murmuration.mail.Post'),
      out: codec('murmuration.mail.Empty'),
      repeats: 'idempotent',
      local: true,
    },
    alarm: {
      in: codec('murmuration.store.AlarmCall'),
      out: codec('murmuration.mail.Empty'),
      repeats: 'idempotent',
      local: true,
    },
  },
  // A mail is not needed after it was sent.
  events: { posted: { codec: codec('murmuration.mail.Posted'), invalidates: false, forgets: true } },
};
