import type { Answer } from '../../http/route.js';
import { Csrf, Labelled } from '../parts/form.js';
import { type Neighbours, Pager } from '../parts/pager.js';
import { Time } from '../parts/time.js';
import type { Site } from '../site.js';
import type { Texts } from '../texts/index.js';
import { type EntryFaults, type EntryField, EntryFields, type TypedEntry } from './entry-fields.js';
import { moderationAnswer, type Staff } from './frame.js';

/** A list that moderators keep, at `/moderation/NAME`. */
export type EntryCollection = keyof Texts['moderation']['entries']['collections'];

/** An entry as its list shows it. */
export interface EntryRow {
  readonly id: string;
  readonly name: string;
  /** Address of a picture. */
  readonly picture?: string | undefined;
  readonly marks?: readonly string[];
  readonly texts?: readonly string[];
  /** Time in ISO 8601. */
  readonly since?: string;
  /** Word before `since`. */
  readonly sinceText?: string;
  readonly until?: string | null | undefined;
}

/** Everything that the page of a list shows. */
interface EntryList extends Neighbours {
  readonly collection: EntryCollection;
  readonly rows: readonly EntryRow[];
  readonly fields: readonly EntryField[];
  readonly typed: TypedEntry;
  readonly faults?: EntryFaults;
  readonly canChange: boolean;
  /** The list can be exported and imported. */
  readonly isShared: boolean;
  /** Message about something that was just done. */
  readonly done?: string | undefined;
}

/** Renders a list with the form of a new entry. */
export function entriesPage(site: Site, reader: Staff, list: EntryList): Answer {
  const { collection, rows, fields, typed, faults = {}, canChange, isShared, done, older, newer } = list;
  const texts = reader.texts.moderation.entries;
  const { title, intro } = texts.collections[collection];
  const path = `/moderation/${collection}` as const;
  const content = (
    <>
      <p class="soft">{intro}</p>
      {isShared && (
        <p class="actions">
          <a class="button plain" href={`${path}/export`}>
            {texts.exported}
          </a>
        </p>
      )}
      {rows.length === 0 && <p class="soft">{texts.none}</p>}
      {rows.length > 0 && (
        <ul class="rows">
          {rows.map((row) => (
            <Row key={row.id} row={row} reader={reader} path={path} canChange={canChange} />
          ))}
        </ul>
      )}
      <Pager older={older} newer={newer} texts={reader.texts} />
      <h2>{texts.add}</h2>
      <form
        class="card"
        method="post"
        action={path}
        encType={fields.some(({ kind }) => kind === 'file') ? 'multipart/form-data' : undefined}
      >
        <Csrf reader={reader} />
        <EntryFields fields={fields} typed={typed} faults={faults} texts={texts} isNew />
        <p class="actions">
          <button type="submit">{texts.add}</button>
        </p>
      </form>
      {isShared && <Import reader={reader} path={path} wrong={faults.file} />}
    </>
  );
  const fault = Object.values(faults)[0];
  return moderationAnswer(site, reader, { title, path, done, fault }, content);
}

function Row(props: {
  readonly row: EntryRow;
  readonly reader: Staff;
  readonly path: string;
  readonly canChange: boolean;
}) {
  const { row, reader, path, canChange } = props;
  const { id, name, picture, marks = [], texts: lines = [], since, sinceText, until } = row;
  const texts = reader.texts.moderation.entries;
  return (
    <li>
      <form class="group" method="post" action={`${path}/${id}/delete`}>
        <Csrf reader={reader} />
        {picture !== undefined && <img class="emoji" src={picture} alt="" width="20" height="20" loading="lazy" />}
        {canChange ? (
          <a href={`${path}/${id}`}>
            <bdi>{name}</bdi>
          </a>
        ) : (
          <bdi>{name}</bdi>
        )}
        {marks.map((mark) => (
          <span key={mark} class="mark">
            {mark}
          </span>
        ))}
        <button type="submit" class="link" aria-label={`${texts.remove}: ${name}`}>
          {texts.remove}
        </button>
      </form>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
      <p class="next">
        {sinceText !== undefined && `${sinceText} `}
        {since !== undefined && <Time iso={since} language={reader.language} />}
        {typeof until === 'string' && (
          <>
            {' '}
            {texts.until} <Time iso={until} language={reader.language} />
          </>
        )}
      </p>
    </li>
  );
}

/** The form that reads a list from a file. */
function Import({ reader, path, wrong }: Readonly<{ reader: Staff; path: string; wrong: string | undefined }>) {
  const texts = reader.texts.moderation.entries;
  return (
    <>
      <h2>{texts.imported}</h2>
      <form class="card" method="post" action={`${path}/import`} encType="multipart/form-data">
        <Csrf reader={reader} />
        <Labelled name="file" label={texts.file} hint={texts.fileHint} wrong={wrong}>
          <input id="file" type="file" name="file" accept=".csv,text/csv,text/plain" aria-describedby="file-hint" />
        </Labelled>
        <p class="actions">
          <button type="submit">{texts.imported}</button>
        </p>
      </form>
    </>
  );
}

/** Renders the form of a stored entry. */
export function entryPage(
  site: Site,
  reader: Staff,
  entry: {
    readonly collection: EntryCollection;
    readonly row: EntryRow;
    readonly fields: readonly EntryField[];
    readonly typed: TypedEntry;
    readonly faults?: EntryFaults;
  },
): Answer {
  const { collection, row, fields, typed, faults = {} } = entry;
  const texts = reader.texts.moderation.entries;
  const path = `/moderation/${collection}` as const;
  const content = (
    <form class="card" method="post" action={`${path}/${row.id}`}>
      <Csrf reader={reader} />
      <EntryFields fields={fields} typed={typed} faults={faults} texts={texts} isNew={false} />
      <p class="actions">
        <button type="submit">{texts.save}</button>
      </p>
    </form>
  );
  const title = `${texts.change}: ${row.name}`;
  return moderationAnswer(site, reader, { title, path, fault: Object.values(faults)[0] }, content);
}
