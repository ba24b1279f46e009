import { isLocal } from '../../actors/domain/addresses.js';
import { isProblem } from '../../actors/domain/problem.js';
import { isMissing } from '../../actors/federation/remote/port.js';
import { RELAY_STYLES, RELAYS } from '../../actors/instance/relays.js';
import type { Node } from '../../compose/node.js';
import { putEntry, removeEntry } from '../../gateway/settings/changes.js';
import { Refused } from '../refused.js';
import { type Declare, printLine, type WithRun } from '../running.js';

/** Operations of the command line on relays. `address`: of the relay's actor. */
export interface RelayOperations {
  'relay.add': { in: { address: string; style: string }; out: RelayState };
  'relay.remove': { in: { address: string }; out: object };
  'relay.list': { in: object; out: { relays: readonly RelayState[] } };
}

interface RelayState {
  readonly address: string;
  readonly style: string;
  /** `pending`, `accepted` or `rejected`. */
  readonly state: string;
}

/** Relays of a server. Each public status goes to all of them. */
const RELAYS_MAX = 50;

/** Implements the operations on a node. */
export const relayOperations: {
  readonly [K in keyof RelayOperations]: (
    node: Node,
    input: RelayOperations[K]['in'],
  ) => Promise<RelayOperations[K]['out']>;
} = {
  async 'relay.add'({ services }, { address, style }) {
    if (!(RELAY_STYLES as readonly string[]).includes(style))
      throw new Refused(`a style is ${RELAY_STYLES.join(' or ')}`);
    const actor = await services.federation.people.find(String(address));
    if (isMissing(actor) || isLocal(actor) || actor.origin === undefined || actor.remote === undefined)
      throw new Refused(`${address} is no address of a relay's actor, such as https://relay.example/actor`);
    const known = await services.entries.of(RELAYS);
    const { uri } = actor.origin;
    if (known.some(({ key }) => key === uri)) throw new Refused('the relay is added already');
    if (known.length >= RELAYS_MAX) throw new Refused(`there may be ${RELAYS_MAX} relays`);
    const relay = { inbox: actor.remote.inbox, style, state: 'pending' };
    const made = await putEntry(services, '', { collection: RELAYS, key: uri, relay });
    if (isProblem(made)) throw new Refused(made.detail);
    return { address: uri, style, state: relay.state };
  },
  async 'relay.remove'({ services }, { address }) {
    const known = (await services.entries.of(RELAYS)).find(({ key }) => key === address);
    if (known === undefined) throw new Refused(`there is no relay ${address}`);
    const gone = await removeEntry(services, '', RELAYS, known.id);
    if (isProblem(gone)) throw new Refused(gone.detail);
    return {};
  },
  async 'relay.list'({ services }) {
    const entries = await services.entries.of(RELAYS);
    return {
      relays: entries.flatMap(({ key: address, relay }) =>
        relay === undefined ? [] : [{ address, style: relay.style, state: relay.state }],
      ),
    };
  },
};

/** Adds `relay add|remove|list` to the program. */
export function addRelayCommands(command: Declare, withRun: WithRun<RelayOperations>): void {
  command('add <address>', 'subscribe to a relay, named by the address of its actor')
    .option(
      '--style <style>',
      `${RELAY_STYLES.join(' or ')}: follow everything public, or the relay's actor`,
      'mastodon',
    )
    .action((address, flags) =>
      withRun(flags, async (run) => printLine(await run('relay.add', { address, style: String(flags.style) }))),
    );
  command('remove <address>', 'end the subscription to a relay').action((address, flags) =>
    withRun(flags, async (run) => printLine(await run('relay.remove', { address }))),
  );
  command('list', 'print relays, one per line').action((flags) =>
    withRun(flags, async (run) => {
      for (const relay of (await run('relay.list', {})).relays) printLine(relay);
    }),
  );
}
