import type { ComponentChildren } from 'preact';
import type { AdminReportNote } from '../../pages/report/notes.js';
import { Csrf, Labelled } from '../parts/form.js';
import { Time } from '../parts/time.js';
import type { Staff } from './frame.js';

/** Moderators' notes, oldest first, and the form for another one, which is sent to `${path}/notes`. */
export function Notes<N extends AdminReportNote>(props: {
  readonly notes: readonly N[];
  readonly reader: Staff;
  readonly path: string;
  /** The new note as it was typed. */
  readonly typed: string;
  /** Message about a refused note. */
  readonly fault: string | undefined;
  /** Renders what the reader can do with a note. */
  readonly acts?: (note: N) => ComponentChildren;
}) {
  const { notes, reader, path, typed, fault, acts } = props;
  const texts = reader.texts.moderation;
  return (
    <>
      <h2>{texts.notes}</h2>
      {notes.length === 0 ? (
        <p>{texts.noNotes}</p>
      ) : (
        <ul class="rows">
          {notes.map((note) => (
            <li key={note.created_at}>
              <p>{note.content}</p>
              <p class="next">
                {note.account === null ? '' : `@${note.account.acct} · `}
                <Time iso={note.created_at} language={reader.language} />
              </p>
              {acts?.(note)}
            </li>
          ))}
        </ul>
      )}
      <form class="card" method="post" action={`${path}/notes`}>
        <Csrf reader={reader} />
        <Labelled name="note" label={texts.newNote} hint={texts.noteHint} wrong={fault}>
          <textarea id="note" name="note" aria-describedby="note-hint" aria-invalid={fault !== undefined}>
            {typed}
          </textarea>
        </Labelled>
        <p class="actions">
          <button type="submit">{texts.addNote}</button>
        </p>
      </form>
    </>
  );
}
