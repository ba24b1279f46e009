import { actorAddresses } from './actor.js';
import { asTime } from './context.js';
import { addressees, type noteDocument } from './note.js';

/** Renders the activity that published a note: its id and addressees follow from the note's. */
export function createActivity(note: ReturnType<typeof noteDocument>) {
  const { id, attributedTo, published, to, cc } = note;
  return { id: `${id}/activity`, type: 'Create', actor: attributedTo, published, to, cc, object: note };
}

/** A reblog of a status. */
interface Reblog {
  readonly id: string;
  /** Address of the account that reblogs. */
  readonly actor: string;
  readonly visibility: string;
  readonly atMs: number;
  /** Address of the reblogged status, and of its author. */
  readonly object: string;
  readonly author: string;
}

/** Renders the activity of a reblog. Other servers fetch the status from its origin. */
export function announceActivity({ id, actor, visibility, atMs, object, author }: Reblog) {
  const addressed = addressees(visibility, actorAddresses(actor).followers, [author]);
  return { id, type: 'Announce', actor, published: asTime(atMs), ...addressed, object };
}
