/** What a stored entry holds, as the journal sees it. */
export interface JournalEntry<T> {
  readonly seq: number;
  readonly epoch: number;
  readonly record: T;
}

/** Another activation, of a later epoch, has written this actor's journal: the writer is not its owner any more. */
export class JournalConflict extends Error {
  override readonly name = 'JournalConflict';
}
