import { asTime } from '../documents/context.js';

/** A vote for one option of another server's poll. */
interface Vote {
  /** Address of the local account. */
  readonly actor: string;
  /** Address of the poll's status, and of its author, who alone gets the vote. */
  readonly question: string;
  readonly author: string;
  /** Name of the option. */
  readonly name: string;
  /** Unique among the votes of the account. */
  readonly part: string;
  readonly atMs: number;
}

/**
 * Renders a vote: a Note with a name and without content, which mentions nobody. Source: FEP-9967; Mastodon
 * ActivityPub::VoteSerializer.
 */
export function voteActivity({ actor, question, author, name, part, atMs }: Vote) {
  const id = `${actor}#votes/${part}`;
  const to = [author];
  const published = asTime(atMs);
  const note = { id, type: 'Note', name, published, attributedTo: actor, inReplyTo: question, to };
  return { id: `${id}/activity`, type: 'Create', actor, published, to, object: note };
}
