import { isDeepStrictEqual } from 'node:util';
import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Recorded, Slice } from '../runtime/slice.js';
import type { LazyMap } from '../runtime/state/lazy-collections.js';
import { isShutOut, type State as TokensState } from './tokens.js';

export interface Commands {
  /** Creates an application, or replaces it. */
  saveOwnApp: { in: P.AccountOwnApp; out: P.AccountEmpty };
  deleteOwnApp: { in: P.AccountClient; out: P.AccountEmpty };
  ownApps: { in: P.AccountEmpty; out: P.AccountOwnApps };
  /** Sent by effects, for an application that was deleted. */
  endAppTokens: { in: P.AccountAppTokens; out: P.AccountEmpty };
}
export interface Events {
  ownAppSaved: P.AccountOwnApp;
  ownAppDeleted: P.AccountClient;
  appTokensEnded: P.AccountAppTokens;
}
export interface State extends TokensState {
  /** Applications that the owner has registered, by client id, oldest first. At most OWN_APPS_MAX. */
  readonly ownApps: LazyMap<string, P.AccountOwnApp>;
}

/** Applications of one account: a list that a person can still survey. */
export const OWN_APPS_MAX = 50;
/** Tokens that one journal entry revokes. Bounds the effects of an entry. */
export const APP_TOKENS_AT_ONCE_MAX = 100;
/** Prefix of the subject of the alarm that searches tokens of a deleted application again. */
export const APP_ALARM = 'app:';
/**
 * Time after a deletion until tokens are searched again: longer than any request lasts that read the application before,
 * and than a node uses cached rows that it must not use.
 */
export const LATE_TOKENS_MS = 60_000;

const empty = codec('murmuration.account.Empty');
const ownApp = codec('murmuration.account.OwnApp');
const client = codec('murmuration.account.Client');
const appTokens = codec('murmuration.account.AppTokens');
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
    endAppTokens: (state, command) => ({ events: tokensEnded(state, command), reply: {} }),
  },
  apply: {
    ownAppSaved({ ownApps }, { clientId, id, name, website, redirectUris, scopes, secretHash, atMs }) {
      ownApps.set(clientId, { clientId, id, name, website, redirectUris, scopes, secretHash, atMs });
    },
    ownAppDeleted: ({ ownApps }, { clientId }) => void ownApps.delete(clientId),
    appTokensEnded() {},
  },
  commands: {
    saveOwnApp: { in: ownApp, out: empty, repeats: 'idempotent', local: true },
    deleteOwnApp: { in: client, out: empty, repeats: 'idempotent', local: true },
    ownApps: { in: empty, out: codec('murmuration.account.OwnApps'), repeats: 'query', local: true },
    endAppTokens: { in: appTokens, out: empty, repeats: 'idempotent', local: true },
  },
  events: {
    ownAppSaved: { codec: ownApp, invalidates: false },
    ownAppDeleted: { codec: client, invalidates: true },
    appTokensEnded: { codec: appTokens, invalidates: false },
  },
};

/** Handles the alarm of a deleted application. */
export const lateTokensDue = (state: Readonly<Pick<State, 'ownApps'>>, what: string) =>
  tokensEnded(state, { clientId: what.slice(APP_ALARM.length), tokens: [] });

/** Returns the event that revokes tokens of a deleted application. An application that exists keeps its tokens. */
const tokensEnded = ({ ownApps }: Readonly<Pick<State, 'ownApps'>>, some: P.AccountAppTokens) =>
  ownApps.has(some.clientId) ? [] : [{ type: 'appTokensEnded' as const, ...some }];

/** Returns the events that delete all applications of the account. */
export const ownAppsEnded = ({ ownApps }: Readonly<Pick<State, 'ownApps'>>) => deletions(ownApps.keys());

const deletions = (clients: Iterable<string>): Recorded<Pick<Events, 'ownAppDeleted'>>[] =>
  Array.from(clients, (clientId) => ({ type: 'ownAppDeleted', clientId }));
