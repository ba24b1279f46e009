import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import type { Slice } from '../runtime/slice.js';

export interface Commands {
  /** Mints an id of the shard of the receiving actor, which only the shard's owner can do. */
  mintId: { in: P.InstanceEmpty; out: P.InstanceMinted };
}
export type Events = Record<never, never>;

/** Mints ids for accounts whose shard another node owns. Each shard has one actor for this purpose. */
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
      local: true,
    },
  },
  events: {},
};
