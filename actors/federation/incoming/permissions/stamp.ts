import { deletedUris } from '../../../../store/federation-tables.js';
import { uriKey } from '../../../domain/text/uri-key.js';
import type { IncomingServices } from '../../inbox/port.js';
import { mayStamp } from '../../reading/stamp.js';
import { idOf, type JsonObject } from '../../reading/values.js';

/** Returns the stamp that an Accept names, unless it was deleted already, or cannot be the sender's. */
export async function stampIn(
  { result }: JsonObject,
  author: string,
  { tables }: IncomingServices,
): Promise<string | undefined> {
  const uri = idOf(result);
  if (uri === undefined || !mayStamp({ id: uri, attributedTo: author })) return undefined;
  const deleted = await tables.get(deletedUris, { uri: uriKey(uri) });
  return deleted === undefined ? uri : undefined;
}
