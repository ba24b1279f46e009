import { deletedUris } from '../../../../store/federation-tables.js';
import { uriKey } from '../../../domain/text/uri-key.js';
import type { StampDocument } from '../../documents/stamp.js';
import type { IncomingActivity, IncomingServices } from '../../inbox/port.js';
import { idOf } from '../../reading/values.js';

/** Returns the stamp that an Accept names, unless it was deleted already, or cannot be the sender's. */
export async function stampIn(
  type: StampDocument['type'],
  { document, senderUri: attributedTo }: IncomingActivity,
  { tables, stamps }: IncomingServices,
): Promise<string | undefined> {
  const id = idOf(document.result);
  if (id === undefined || !stamps.mayBe({ id, type, attributedTo })) return undefined;
  const deleted = await tables.get(deletedUris, { uri: uriKey(id) });
  return deleted === undefined ? id : undefined;
}
