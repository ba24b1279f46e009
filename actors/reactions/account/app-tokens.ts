import { remove, type Tables } from '../../../store/port.js';
import { clientTokens } from '../../../store/sign-in-tables.js';
import { apps, appTokens, tokens } from '../../../store/tables.js';
import { APP_ALARM, APP_TOKENS_AT_ONCE_MAX, LATE_TOKENS_MS } from '../../account/own-apps.js';
import type { AccountEvents, AccountState } from '../../account/slices.js';
import type { Effects, Happened, Reaction } from '../../runtime/kind.js';
import { tellAccount } from './tells.js';

type EndTables = Pick<Tables, 'range' | 'write'>;

/**
 * Deletes the rows of an application, and then its own tokens (client_credentials), which any node may have written.
 * @throws Unavailable
 */
export async function endApp(tables: EndTables, client: string, effects: Effects): Promise<void> {
  await effects.write([remove(apps, { client })]);
  const limit = APP_TOKENS_AT_ONCE_MAX;
  let after: { readonly atMs: number; readonly hash: string } | undefined;
  do {
    const held = await tables.range(appTokens, { client }, { after, limit });
    const rows = held.flatMap(({ key }) => [remove(tokens, { hash: key.hash }), remove(appTokens, key)]);
    if (rows.length > 0) await tables.write(rows, { over: true });
    const last = held.length === limit ? held.at(-1)?.key : undefined;
    after = last && { atMs: last.atMs, hash: last.hash };
  } while (after !== undefined);
}

/**
 * Revokes the tokens that people gave to a deleted application, in steps after the reply. A journal entry records the
 * tokens before they are revoked: after a crash the commands are repeated in the same order, as deduplication requires.
 * An alarm repeats the search for tokens of requests that had read the application before it was deleted.
 */
export function endedAppTokens(tables: EndTables): Reaction<AccountState, AccountEvents> {
  const goOn = async (
    clientId: string,
    after: { readonly account: string; readonly hash: string } | undefined,
    { self }: Happened<AccountState>,
    effects: Effects,
  ) => {
    const limit = APP_TOKENS_AT_ONCE_MAX;
    const rows = await tables.range(clientTokens, { client: clientId }, { after, limit });
    const found = rows.map(({ key: { account, hash } }) => ({ account, hash }));
    if (found.length > 0) await tellAccount(effects, self, 'endAppTokens', { clientId, tokens: found });
  };
  return {
    surface: 'app tokens',
    beforeReply: false,
    on: {
      async ownAppDeleted({ clientId }, now, effects) {
        await effects.setAlarm(now.atMs + LATE_TOKENS_MS, `${APP_ALARM}${clientId}`);
        await goOn(clientId, undefined, now, effects);
      },
      async appTokensEnded({ clientId: client, tokens: some }, now, effects) {
        if (some.length === 0) await endApp(tables, client, effects);
        for (const { account, hash } of some) await tellAccount(effects, account, 'revokeToken', { tokenHash: hash });
        const rows = some.map(({ account, hash }) => remove(clientTokens, { client, account, hash }));
        if (rows.length > 0) await tables.write(rows, { over: true });
        await goOn(client, some.at(-1), now, effects);
      },
    },
  };
}
