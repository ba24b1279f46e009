import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import type { Slice } from '../runtime/slice.js';
import type { State } from './register.js';

export interface Commands {
  chooseLocale: { in: P.AccountChooseLocale; out: P.AccountEmpty };
}
export interface Events {
  localeChosen: P.AccountChooseLocale;
}

/** The language of the owner's pages, mails and pushes, a BCP 47 tag. */
export const locale: Slice<State, Commands, Events> = {
  decide: {
    chooseLocale({ owner }, { locale }) {
      if (owner === undefined || owner.locale === locale) return { events: [], reply: {} };
      return { events: [{ type: 'localeChosen', locale }], reply: {} };
    },
  },
  apply: {
    localeChosen({ owner }, { locale }) {
      if (owner !== undefined) owner.locale = locale;
    },
  },
  commands: {
    chooseLocale: {
      in: codec('murmuration.account.ChooseLocale'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
    },
  },
  events: {
    localeChosen: { codec: codec('murmuration.account.ChooseLocale'), invalidates: true },
  },
};
