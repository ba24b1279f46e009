import { isDeepStrictEqual } from 'node:util';
import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Recorded, Slice } from '../runtime/slice.js';
import { isShutOut, type State as TokensState } from './tokens.js';

export interface Commands {
  /** Creates an application, or replaces it. */
  saveOwnApp: { in: P.AccountOwnApp; out: P.AccountEmpty };
  deleteOwnApp: { in: P.AccountClient; out: P.AccountEmpty };
  ownApps: { in: P.AccountEmpty; out: P.AccountOwnApps };
}
export interface Events {
  ownAppSaved: P.AccountOwnApp;
  ownAppDeleted: P.AccountClient;
}
export interface State extends TokensState {
  /** Applications that the owner has registered, by client id, oldest first. At most OWN_APPS_MAX. */
  readonly ownApps: Map<string, P.AccountOwnApp>;
}

/** Applications of one account: a list that a person can still survey. */
export const OWN_APPS_MAX = 50;

const empty = codec('murmuration.account.Empty');
const ownApp = codec('murmuration.account.OwnApp');
const client = codec('murmuration.account.Client');
const NOTHING = { events: [], reply: {} };

/** Applications that the owner has registered in the settings. The state holds only the hashes of their secrets. */
export const ownApps: Slice<State, Commands, Events> = {
  decide: {
    saveOwnApp(state, command) {
      const known = state.ownApps.get(command.clientId);
      if (isDeepStrictEqual(known, { ...command, website: command.website })) return NOTHING;
      if (isShutOut(state)) return problem('forbidden', 'Your login is currently disabled');
      if (known === undefined && state.ownApps.size >= OWN_APPS_MAX)
        return problem('limit_reached', `An account can have ${OWN_APPS_MAX} applications`);
      return { events: [{ type: 'ownAppSaved', ...command }], reply: {} };
    },
    deleteOwnApp: ({ ownApps }, { clientId }) =>
      ownApps.has(clientId) ? { events: deletions([clientId]), reply: {} } : NOTHING,
    ownApps: ({ ownApps }) => ({ events: [], reply: { apps: [...ownApps.values()] } }),
  },
  apply: {
    ownAppSaved({ ownApps }, { clientId, id, name, website, redirectUris, scopes, secretHash, atMs }) {
      ownApps.set(clientId, { clientId, id, name, website, redirectUris, scopes, secretHash, atMs });
    },
    ownAppDeleted: ({ ownApps }, { clientId }) => void ownApps.delete(clientId),
  },
  commands: {
    saveOwnApp: { in: ownApp, out: empty, repeats: 'idempotent', local: true },
    deleteOwnApp: { in: client, out: empty, repeats: 'idempotent', local: true },
    ownApps: { in: empty, out: codec('murmuration.account.OwnApps'), repeats: 'query', local: true },
  },
  events: {
    ownAppSaved: { codec: ownApp, invalidates: false },
    ownAppDeleted: { codec: client, invalidates: false },
  },
};

/** Returns the events that delete all applications of the account. */
export const ownAppsEnded = ({ ownApps }: Readonly<Pick<State, 'ownApps'>>) => deletions(ownApps.keys());

const deletions = (clients: Iterable<string>): Recorded<Pick<Events, 'ownAppDeleted'>>[] =>
  Array.from(clients, (clientId) => ({ type: 'ownAppDeleted', clientId }));
