import { idShard } from '../actors/domain/ids.js';
import type { Placement } from '../actors/runtime/placement/placement.js';
import type { RelationNews } from '../gateway/viewing/relation-news.js';
import { codec } from '../proto/codec.js';
import { type Bus, RELATIONS_TOPIC } from '../transport/bus.js';
import { type PeerLiveness, UNRESPONSIVE_MS } from './peer-liveness.js';

const messages = codec('murmuration.node.AccountTopic');

/**
 * Notifies caches of changed relations. Owners publish on one topic the accounts whose relations changed, before they
 * answer the request. NATS preserves a publisher's order, so a node that has the answer has received the change.
 * Accounts on this node are not covered: asking them costs no message, and their publications arrive after the answer.
 */
export async function relationNews(
  bus: Bus,
  placement: Placement,
  hearing: Pick<PeerLiveness, 'ageMaxMs'> = { ageMaxMs: () => UNRESPONSIVE_MS },
): Promise<RelationNews> {
  const listeners: ((account: string | undefined) => void)[] = [];
  const tell = (account: string | undefined) => {
    for (const listener of listeners) listener(account);
  };
  bus.onGap((subject) => {
    if (subject === undefined || subject === RELATIONS_TOPIC) tell(undefined);
  });
  await bus.subscribe(RELATIONS_TOPIC, (payload) => tell(messages.decode(payload).accountId));
  return {
    covers: (viewer) => bus.hears() && placement.epochOf(idShard(viewer)) === undefined,
    ageMaxMs: () => hearing.ageMaxMs(),
    onChanged: (listener) => void listeners.push(listener),
  };
}
