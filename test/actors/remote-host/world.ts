import { idShard } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { DeliveryFigures } from '../../../actors/federation/delivery/figures.js';
import { DeliveryPlaces } from '../../../actors/federation/delivery/places.js';
import { queueActivity } from '../../../actors/federation/delivery/queue.js';
import { returnedHosts } from '../../../actors/federation/delivery/returned-hosts.js';
import { remoteHostKind } from '../../../actors/kinds/remote-host.js';
import { hostId } from '../../../actors/remote-host/remote-host.js';
import { Alarms } from '../../../actors/runtime/effects/alarms.js';
import { type ActorKind, askerOf, receiverOf } from '../../../actors/runtime/kind.js';
import type { RuntimeLimits } from '../../../actors/runtime/limits.js';
import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import { deliveries, listedHosts } from '../../../store/federation-tables.js';
import type { Tables } from '../../../store/port.js';
import type { DeliveryOutcome } from '../../../transport/federation/port.js';
import { jsonCodec } from '../../kit/actors/notebook.js';
import { silentDeliveries } from '../../kit/actors/silent-deliveries.js';
import { STAGE_SHARDS, Stage, type StageNode } from '../../kit/actors/stage.js';

export const SENDER = '000000000000000065';
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const DELIVERED: DeliveryOutcome = { kind: 'delivered' };
export const LATER: DeliveryOutcome = { kind: 'later', reason: 'failed' };

/** Shards of the hosts that tests deliver to. */
const SHARDS = ['far.example', 'other.example'].map((domain) => idShard(hostId(domain)));

/** One delivery as the client gets it. */
export interface Sent {
  readonly inbox: string;
  readonly id: string;
  readonly type: string;
  readonly atMs: number;
  readonly signer: string;
}

/** An activity that the test queues. */
export interface Queued {
  readonly id: string;
  readonly inboxes: readonly string[];
  readonly activity?: string;
  readonly order?: string;
}

type Send = { in: Queued; out: object };

/** Stands for an account: its event queues an activity, as reactions of accounts do. */
const senderStub = (tables: Pick<Tables, 'get'>): ActorKind<object, { send: Send }, { sent: Queued }> => ({
  name: 'sender',
  initial: () => ({}),
  stateVersion: 1,
  decide: { send: (_state, queued) => ({ events: [{ type: 'sent', ...queued }], reply: {} }) },
  apply: { sent: () => undefined },
  commands: { send: { in: jsonCodec('Send'), out: jsonCodec('Empty'), repeats: 'idempotent', local: true } },
  events: { sent: { codec: jsonCodec('Sent'), invalidates: false } },
  reactions: [
    {
      surface: 'federation',
      beforeReply: true,
      on: {
        sent: ({ id, inboxes, activity: type = 'Follow', order = id }, happened, effects) =>
          queueActivity(tables, happened, effects, {
            ...{ activity: { id, type }, inboxes, order },
            signer: { id: SENDER, uri: 'https://here.example/users/ann' },
          }),
      },
    },
  ],
});

const closing: (() => void)[] = [];
export function closeWorlds(): void {
  for (const close of closing.splice(0)) close();
}

/** Hosts on a node of real actors. The test plays the other servers. */
export async function world(limits: Partial<RuntimeLimits> = {}, fraction = 0) {
  const stage = new Stage();
  const sent: Sent[] = [];
  const figures = new DeliveryFigures();
  const plays = { answer: (_sent: Sent): DeliveryOutcome | Promise<DeliveryOutcome> => DELIVERED };
  const open = async (epoch: number) => {
    const shared: Tables = stage.shared;
    const kind = remoteHostKind(
      silentDeliveries({
        ...{ tables: shared, clock: stage.clock, places: new DeliveryPlaces({ clock: stage.clock }) },
        ...{ random: { fraction: () => fraction }, figures },
        signers: {
          signerOf: (owner, uri) => ({ keyId: `${owner} ${uri}`, privateKey: () => Promise.reject(new Error()) }),
        },
        client: {
          async deliver(inbox, body, signer) {
            const { id, type } = JSON.parse(Buffer.from(body).toString());
            const one = { inbox, id, type, atMs: stage.clock.nowMs(), signer: signer.keyId };
            sent.push(one);
            return plays.answer(one);
          },
        },
      }),
    );
    const sender = senderStub(shared);
    const node = await stage.node(epoch, limits, [kind, sender]);
    await node.runtime.acquire(SHARDS);
    const alarms = alarmsOf(stage, node);
    closing.push(() => alarms.close());
    return { node, alarms, kind, sender };
  };
  let running = await open(1);
  closing.push(() => stage.close());
  return {
    stage,
    plays,
    sent,
    figures,
    /** Returns the ids of all attempts, in order. */
    ids: () => sent.map(({ id }) => id),
    async queue(queued: Queued) {
      const asked = askerOf(running.sender, running.node.runtime)(SENDER, 'send', queued);
      await stage.clock.settle();
      await asked;
      await stage.clock.settle();
    },
    async returned(domain: string) {
      const heard = returnedHosts(stage.shared, receiverOf(running.kind, running.node.runtime));
      const asked = heard({ remote: { inbox: `https://${domain}/inbox` } } as StoreAccountRecord);
      await stage.clock.settle();
      return asked;
    },
    ...operatorOf(stage, () => running),
    /** Returns the number of rows that wait for a host in the present bucket. */
    async rows(domain: string, atMs = stage.clock.nowMs()) {
      const partition = { host: hostId(domain), bucket: Math.floor(atMs / 2 ** 25) };
      return (await stage.shared.range(deliveries, partition, { limit: 5_000 })).length;
    },
    activations: () => running.node.runtime.metrics.activations,
    node: (): StageNode => running.node,
    /** Hands all shards over. */
    release: () => running.node.runtime.release([...STAGE_SHARDS, ...SHARDS], async () => undefined),
    /** Ends the node like kill -9; another one takes over. */
    async takeOver() {
      running.alarms.close();
      stage.kill(running.node);
      running = await open((running.node.placement.epoch ?? 1) + 1);
    },
  };
}

/** Rings the alarms of a node. */
function alarmsOf({ shared: tables, clock }: Stage, node: StageNode): Alarms {
  const alarms = new Alarms({
    ...{ tables, asker: node.runtime, clock, placement: node.placement },
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  node.alarmSet = (alarm) => alarms.wasSet(alarm);
  alarms.start();
  return alarms;
}

/** Orders and views of an operator. */
function operatorOf(
  stage: Stage,
  running: () => { readonly kind: ReturnType<typeof remoteHostKind>; readonly node: StageNode },
) {
  return {
    /** Tells the actor of a host that it has sent something. */
    async heard(domain: string) {
      const asked = askerOf(running().kind, running().node.runtime)(hostId(domain), 'returned', {});
      await stage.clock.settle();
      return asked;
    },
    /** Carries out an operator's order. */
    async steer(domain: string, act: string) {
      const asked = askerOf(running().kind, running().node.runtime)(hostId(domain), 'steer', { domain, act });
      await stage.clock.settle();
      const answer = await asked;
      await stage.clock.settle();
      return answer;
    },
    async show(domain: string) {
      const asked = askerOf(running().kind, running().node.runtime)(hostId(domain), 'show', {});
      await stage.clock.settle();
      const shown = await asked;
      if (isProblem(shown)) throw new Error(shown.detail);
      return shown;
    },
    /** Returns the domains of the listed hosts. */
    listed: async () =>
      (await stage.shared.range(listedHosts, { century: 0 }, { limit: 100 })).map(({ key }) => key.domain),
  };
}
