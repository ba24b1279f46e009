import type { StoreSnapshotRecord } from '../../../proto/gen/types.js';
import type { Cancellation } from '../asking/cancellation.js';
import type { Blueprint, Handlers } from '../blueprint.js';
import { Lane } from '../effects/lane.js';
import type { Minter } from '../placement/minter.js';
import type { ActorCore } from '../state/core.js';
import { recover, untouched } from '../state/recovery.js';
import type { ActivationContext } from './activation-context.js';
import { Bookkeeping } from './bookkeeping.js';

/** The parameters of one activation. */
export interface ActivationSettings {
  readonly blueprint: Blueprint;
  readonly id: string;
  readonly shard: number;
  readonly epoch: number;
  readonly minter: Minter;
  readonly primed: StoreSnapshotRecord | undefined;
  /** True when the store holds nothing of the actor, see `FreshIds`. */
  readonly isNew: boolean;
  /** Keys of the actor's backlog rows that a scan found. */
  readonly backlogKeys: readonly string[];
  /** Resolves when the earlier activation of the actor on this node no longer writes to the store. */
  readonly predecessor: Promise<void>;
  /** Passivates the activation, if it is idle. */
  readonly leave: () => void;
  readonly onStopped: () => void;
}

/** A recovered actor with its effect lanes. */
export interface Activated {
  readonly core: ActorCore;
  readonly before: Lane;
  readonly after: Lane;
  readonly bookkeeping: Bookkeeping;
}

const NOTHING: ReadonlySet<string> = new Set();

/** Recovers the actor after its predecessor has ended. Starts no effects. */
export async function activate(
  around: ActivationContext,
  settings: ActivationSettings,
  name: string,
  halt: Cancellation,
  progressed: () => void,
): Promise<Activated> {
  const { blueprint, id, shard, epoch, minter, primed, isNew } = settings;
  await settings.predecessor;
  const newId = () => minter.next();
  const newActorId = () => {
    const minted = minter.next();
    around.fresh.add(minted, epoch);
    return minted;
  };
  const pause = () => halt.giveWay();
  const format = () => around.placement.format?.() ?? Number.POSITIVE_INFINITY;
  const recovering = { kind: blueprint.kind, id, epoch, ids: { newId, newActorId }, format, primed, pause };
  const found = isNew ? untouched(recovering) : await recover(around, recovering);
  const { core } = found;
  const lane = (side: string, handlers: Handlers, cursor: number, invalidating: ReadonlySet<string>) => {
    const from = { actor: name, source: `${name}#${side}`, shard, epoch, halt };
    return new Lane(around, core, name, from, handlers, invalidating, cursor, progressed);
  };
  const before = lane('before', blueprint.beforeReply, found.beforeReply, blueprint.invalidating);
  const after = lane('after', blueprint.afterReply, found.afterReply, NOTHING);
  const upkeep = new Bookkeeping({ around, core, actor: name, shard, epoch, before, after, halt }, found);
  return { core, before, after, bookkeeping: upkeep };
}
