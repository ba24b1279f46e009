import { SHARDS } from '../../actors/domain/ids.js';
import type { DomainPolicies } from '../../actors/domain/servers/domain-policy.js';
import { AGE_LANES, RemoteMedia } from '../../media/remote-media.js';
import type { MediaStore } from '../../store/media.js';
import { MediaClient, type MediaClientOptions } from '../../transport/web/media-client.js';
import type { NodeBase } from '../base.js';

/** Files of other servers, and the client that fetches them. */
export interface Proxied {
  readonly files: RemoteMedia;
  readonly client: MediaClient;
}

/** Opens the cache of files of other servers. The node of a shard removes the old files of the shard's lane. */
export function openProxied(
  { settings, tables, clock, random, caches, placement }: NodeBase,
  connections: Pick<MediaClientOptions, 'guard' | 'userAgent' | 'resolve'>,
  media: MediaStore,
  domains: DomainPolicies,
  failed: (error: unknown) => void,
): Proxied {
  const client = new MediaClient({ ...connections, isSuspended: (host) => domains.of(host).suspended });
  const files = new RemoteMedia({
    ...{ tables, media, clock, random, caches, failed },
    fetch: (url) => client.fetch(url),
    bytesMax: Number(settings.MEDIA_CACHE_BYTES),
    isMine: (lane) => placement.epochOf((lane * SHARDS) / AGE_LANES) !== undefined,
  });
  return { files, client };
}
