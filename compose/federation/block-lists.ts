import { idShard } from '../../actors/domain/ids.js';
import { INSTANCE_ID } from '../../actors/instance/commands.js';
import type { Services } from '../../gateway/http/services.js';
import { BlockLists } from '../../gateway/moderation/block-lists.js';
import { type Outside, unread } from '../actors.js';
import type { NodeBase } from '../base.js';

/** Opens the subscriptions to lists of domain blocks. The node of the instance's actor reads them. */
export function openBlockLists(base: NodeBase, { web, addressGuard }: Outside, services: Services): BlockLists {
  const { clock, placement, logger } = base;
  return new BlockLists({
    ...{ services, clock, failed: unread(base, 'failed to read a list of blocks') },
    refused: (url, reason) => logger.warn({ url, reason }, 'failed to apply a list of blocks'),
    // A redirect to plain HTTP would let anybody on the way change the list.
    fetch: (url, types, bytesMax) => web.get(url, types, bytesMax, (at) => addressGuard.maySend(at)),
    isMine: () => placement.epochOf(idShard(INSTANCE_ID)) !== undefined,
  });
}
