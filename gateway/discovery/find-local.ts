import type { Services } from '../http/services.js';

/** Returns the id of a local account by `name`, `@name` or `name@our.domain`. */
export async function findLocal(services: Services, acct: string): Promise<string | undefined> {
  const [username = '', domain, ...rest] = acct.replace(/^@/, '').toLowerCase().split('@');
  if (rest.length > 0 || !/^[a-z0-9_.-]+$/.test(username)) return undefined;
  if (domain !== undefined && domain !== services.instance.domain.toLowerCase()) return undefined;
  return services.registry.find(`acct:${username}`);
}
