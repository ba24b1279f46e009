import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import { remoteHosts } from '../../../store/federation-tables.js';
import type { Tables } from '../../../store/port.js';
import { type Commands, hostId } from '../../remote-host/remote-host.js';
import type { TypedAsk } from '../../runtime/kind.js';

/**
 * Returns a function that is called when an account of another server has sent something. If deliveries to its host had
 * ended, they begin again, with one probe. @throws Unavailable
 */
export function returnedHosts(tables: Pick<Tables, 'get'>, ask: TypedAsk<Commands>) {
  return async ({ remote }: StoreAccountRecord): Promise<void> => {
    if (remote === undefined || !URL.canParse(remote.inbox)) return;
    const host = hostId(new URL(remote.inbox).host);
    const known = await tables.get(remoteHosts, { host });
    if (known !== undefined && known.goneAtMs > 0) await ask(host, 'returned', {});
  };
}
