import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import type { JsonObject } from '../../../transport/federation/bounded-json.js';
import { readLocalUri } from '../../domain/addresses.js';
import type { IncomingServices, Outcome } from '../inbox/port.js';
import { idOf } from '../reading/values.js';
import { outcomeOf } from './local.js';
import { shownStatus } from './status.js';

/** Longest name of an option that can be voted for. */
const OPTION_CHARS_MAX = 1_000;

/**
 * Carries out a vote: a Note with the name of an option and without content, in reply to a local poll. Undefined: the
 * object is no vote. Source: Mastodon ActivityPub::Activity::Create#poll_vote?.
 */
export async function voteIn(
  note: JsonObject,
  sender: StoreAccountRecord,
  services: IncomingServices,
): Promise<Outcome | undefined> {
  const { name, content } = note;
  const uri = idOf(note.inReplyTo);
  if (typeof name !== 'string' || content || uri === undefined || name.length > OPTION_CHARS_MAX) return undefined;
  if (readLocalUri(services.baseUrl, uri)?.kind !== 'status') return undefined;
  const status = await shownStatus(uri, sender, services);
  const choice = status?.poll?.options.findIndex(({ title }) => title === name) ?? -1;
  if (status === undefined || choice < 0) return 'ignored';
  const vote = { statusId: status.id, by: sender.id, choices: [choice] };
  return outcomeOf(await services.askConversation(status.conversationId, 'vote', vote));
}
