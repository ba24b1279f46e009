import { makeId, SHARDS } from '../actors/domain/ids.js';
import { isProblem, Unavailable } from '../actors/domain/problem.js';
import type { Random } from '../actors/domain/time.js';
import type { InstanceCommands } from '../actors/instance/commands.js';
import type { TypedAsk } from '../actors/runtime/kind.js';
import type { Runtime } from '../actors/runtime/runtime.js';

/**
 * Distance of the shards of two ids in a row. It is odd, so a cycle takes each shard once. It is the golden ratio's share
 * of all shards, so any few ids in a row lie far apart: nodes own runs of neighbouring shards.
 */
const STRIDE = 633;

/**
 * Returns a generator of account ids that cycles through all shards, so that accounts created through one node spread
 * evenly over all nodes. The owner of each shard creates its ids, so no two nodes create the same one. An id of another node's
 * shard costs one request on the bus; while that node is unreachable, the id comes from a shard of this node.
 */
export function accountIds(
  runtime: Pick<Runtime, 'mintId'>,
  askInstance: TypedAsk<InstanceCommands>,
  random: Pick<Random, 'fraction'>,
): () => Promise<string> {
  let turn = Math.floor(random.fraction() * SHARDS);
  return async () => {
    turn = (turn + STRIDE) % SHARDS;
    const shard = turn;
    const own = runtime.mintId(shard);
    if (own !== undefined) return own;
    try {
      const minted = await askInstance(makeId(0, shard, 0), 'mintId', {});
      if (isProblem(minted)) throw new Unavailable(minted.detail);
      return minted.id;
    } catch (error) {
      const instead = error instanceof Unavailable ? ownAfter(runtime, shard) : undefined;
      if (instead === undefined) throw error;
      return instead;
    }
  };
}

function ownAfter(runtime: Pick<Runtime, 'mintId'>, shard: number): string | undefined {
  for (let step = 1; step < SHARDS; step++) {
    const own = runtime.mintId((shard + step) % SHARDS);
    if (own !== undefined) return own;
  }
  return undefined;
}
