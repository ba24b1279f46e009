import type { Client } from './client.js';
import { BadPlan } from './plan.js';
import { admit, type Target } from './target-guard.js';

/**
 * Where the server says that its streams are: often a port or a host of their own. What may not be loaded is passed
 * over for the server itself; of several nodes each has its own.
 */
export async function streamTargetsOf(
  client: Client,
  targets: readonly Target[],
  ownedHost: string | undefined,
): Promise<readonly Target[]> {
  if (targets.length > 1) return targets;
  for (const path of ['/api/v2/instance', '/api/v1/instance']) {
    const { status, text } = await client.ask({ method: 'GET', path });
    const address = status === 200 ? addressIn(text) : undefined;
    if (address === undefined) continue;
    try {
      return [await admit(address, ownedHost)];
    } catch (error) {
      if (!(error instanceof BadPlan)) throw error;
      return targets;
    }
  }
  return targets;
}

/** Scheme, host and port, as for HTTP. */
function addressIn(json: string): string | undefined {
  try {
    const { configuration, urls } = JSON.parse(json) as {
      configuration?: { urls?: { streaming?: unknown } };
      urls?: { streaming_api?: unknown };
    };
    const found = configuration?.urls?.streaming ?? urls?.streaming_api;
    return typeof found === 'string' ? new URL(found.replace(/^ws/, 'http')).origin : undefined;
  } catch {
    // What is no JSON or no address says nothing about streams.
    return undefined;
  }
}
