import { isProblem, Unavailable } from '../../actors/domain/problem.js';
import type { InstanceEntry } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';
import { putEntry } from '../settings/changes.js';

/**
 * Returns a secret of the instance. It is created at the first call, once for a cluster, and never changes.
 * @throws Unavailable when the store or the instance cannot answer
 */
export async function sharedKey(services: Services, name: string, make: () => string): Promise<string> {
  const known = keyAmong(await services.entries.of('keys'), name);
  if (known !== undefined) return known;
  // Another node may have created the key before its notification arrives here; the reply then contains that key.
  const put = await putEntry(services, '', { collection: 'keys', key: name, text: { text: make(), hint: '' } });
  const held = isProblem(put) ? undefined : put.text?.text;
  if (held === undefined) throw new Unavailable(`the key ${name} is not available yet`);
  return held;
}

/** Returns a key among the entries; undefined if it was never created. */
export function keyAmong(keys: readonly InstanceEntry[], name: string): string | undefined {
  return keys.find(({ key }) => key === name)?.text?.text;
}
