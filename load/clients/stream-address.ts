import { BadPlan } from '../plan.js';
import { type Client, NoAnswer } from './client.js';
import { objectIn } from './json.js';
import { admit, type Target } from './target-guard.js';

export interface StreamAddress {
  readonly targets: readonly Target[];
  /** Why the stated address is not used; undefined when it is used, or when the server states none. */
  readonly passedOver: string | undefined;
}

/**
 * Returns the address of the streams as the server states it: often another port or host. An address that may not be
 * loaded is replaced by the server itself; of several nodes, each serves its own streams.
 */
export async function streamTargetsOf(
  client: Client,
  targets: readonly Target[],
  ownedHosts: readonly string[],
): Promise<StreamAddress> {
  const itself = { targets, passedOver: undefined };
  if (targets.length > 1) return itself;
  for (const path of ['/api/v2/instance', '/api/v1/instance']) {
    const address = await addressAt(client, path);
    if (address === undefined) continue;
    try {
      return { targets: [await admit(address, ownedHosts)], passedOver: undefined };
    } catch (error) {
      if (!(error instanceof BadPlan)) throw error;
      return { targets, passedOver: `the server has its streams at ${address}: ${error.message}` };
    }
  }
  return itself;
}

/** Reads scheme, host and port, as for HTTP. Undefined without a valid answer or address. */
async function addressAt(client: Client, path: string): Promise<string | undefined> {
  try {
    const { status, text } = await client.ask({ method: 'GET', path });
    if (status !== 200) return undefined;
    const { configuration, urls } = objectIn(text) as {
      configuration?: { urls?: { streaming?: unknown } } | null;
      urls?: { streaming_api?: unknown } | null;
    };
    const found = configuration?.urls?.streaming ?? urls?.streaming_api;
    const address = typeof found === 'string' ? found.replace(/^ws/, 'http') : '';
    return URL.canParse(address) ? new URL(address).origin : undefined;
  } catch (error) {
    if (error instanceof NoAnswer) return undefined;
    throw error;
  }
}
