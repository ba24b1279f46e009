import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import type { Part } from '../runtime/part.js';

export interface Commands {
  /** A fresh id of the instance's shard, for a node that owns no shard and cannot mint one. */
  mintId: { in: P.InstanceEmpty; out: P.InstanceMinted };
}
export type Events = Record<never, never>;

/** Ids for accounts that are made through nodes without shards (while they drain). */
export const mint: Part<object, Commands, Events> = {
  decide: {
    mintId: (_state, _command, { newId }) => ({ events: [], reply: { id: newId() } }),
  },
  apply: {},
  commands: {
    mintId: { in: codec('murmuration.instance.Empty'), out: codec('murmuration.instance.Minted') },
  },
  events: {},
};
