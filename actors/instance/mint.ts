import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import type { Slice } from '../runtime/slice.js';

export interface Commands {
  /** A fresh id of the shard of the actor that is asked, which only the shard's owner can mint. */
  mintId: { in: P.InstanceEmpty; out: P.InstanceMinted };
}
export type Events = Record<never, never>;

/** Ids for accounts whose shard is another node's. Each shard has an actor that is asked for nothing else. */
export const mint: Slice<object, Commands, Events> = {
  decide: {
    mintId: (_state, _command, { newId }) => ({ events: [], reply: { id: newId() } }),
  },
  apply: {},
  commands: {
    mintId: {
      in: codec('murmuration.instance.Empty'),
      out: codec('murmuration.instance.Minted'),
      repeats: 'idempotent',
    },
  },
  events: {},
};
