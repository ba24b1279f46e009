import { isProblem, Unavailable } from '../../actors/domain/problem.js';
import type { InstanceEntry } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';
import { putEntry } from '../settings/changes.js';

/**
 * A secret of the instance, made when it is asked for first, once for a cluster; it stays.
 * @throws Unavailable when the store or the instance cannot answer
 */
export async function sharedKey(services: Services, name: string, make: () => string): Promise<string> {
  const known = keyAmong(await services.entries.of('keys'), name);
  if (known !== undefined) return known;
  // Made elsewhere meanwhile, of which the news may be on their way for long: then this is the other's.
  const put = await putEntry(services, '', { collection: 'keys', key: name, text: { text: make(), hint: '' } });
  const held = isProblem(put) ? undefined : put.text?.text;
  if (held === undefined) throw new Unavailable(`the key ${name} is not known yet`);
  return held;
}

/** Undefined: nobody has asked for it yet. */
export function keyAmong(keys: readonly InstanceEntry[], name: string): string | undefined {
  return keys.find(({ key }) => key === name)?.text?.text;
}
