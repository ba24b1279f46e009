import { localName } from '../../actors/domain/addresses.js';
import type { Services } from '../http/services.js';

/** Returns the id of a local account by `name`, `@name` or `name@our.domain`. */
export async function findLocal(
  services: Pick<Services, 'registry' | 'instance'>,
  acct: string,
): Promise<string | undefined> {
  const username = localName(acct, services.instance.domain);
  return username !== undefined && /^[a-z0-9_.-]+$/.test(username)
    ? services.registry.find(`acct:${username}`)
    : undefined;
}
