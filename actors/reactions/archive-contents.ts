import type { ArchivePlace, StoreAccountRecord, StoreStatusRecord } from '../../proto/gen/types.js';
import type { MediaStore } from '../../store/media.js';
import type { ReadTables } from '../../store/port.js';
import { accountStatuses, accounts, bookmarks, favourites, statuses } from '../../store/tables.js';
import { emptyProfile } from '../account/profile.js';
import { ZIP_BYTES_MAX, ZIP_FILES_MAX, type ZipPiece } from '../archive/zip.js';
import { accountUri, statusUri } from '../domain/addresses.js';
import { eraOfId, eraOfMs } from '../domain/ids.js';
import { actorAddresses, actorDocument } from '../federation/documents/actor.js';
import { CONTEXT, document, type EmojiPicture } from '../federation/documents/context.js';
import { objectsOf, type Rendering, type Shown } from '../federation/documents/objects.js';
import { eraPages } from './era-pages.js';

/** Everything that an archive is made of. */
export interface ArchiveSource extends Omit<Rendering, 'tables'> {
  readonly tables: Pick<ReadTables, 'get' | 'getMany' | 'range'>;
  readonly media: Pick<MediaStore, 'open'>;
  /** Public key of the account. */
  publicPem(id: string): Promise<string>;
  /** Largest archive, in bytes; the newest files that find no room are left out. */
  readonly bytesMax: number;
}

/** Bytes after which a piece ends: it is in memory while it is built. */
export const PIECE_BYTES = 8 * 1_048_576;
/** Rows of one read. */
const ROWS = 100;
/** Room for the documents that end the ZIP. */
const MARGIN_BYTES = 65_536;

const PHASES = ['actor', 'outbox', 'likes', 'bookmarks', 'media'] as const;
type Phase = (typeof PHASES)[number];
type Place = { -readonly [K in keyof ArchivePlace]: ArchivePlace[K] };

const placeOf = (phase: Phase, partial: boolean): Place => ({ phase, after: '', item: 0, byte: 0, count: 0, partial });
export const FIRST_PLACE: ArchivePlace = placeOf('actor', false);

interface Work extends ArchiveSource {
  readonly owner: StoreAccountRecord;
  readonly writer: ZipPiece;
}

/**
 * Adds what comes next to a piece, until it is full or everything is in it. Returns the place of the next piece;
 * undefined: there is none. `partial`: something was left out. @throws Unavailable
 */
export async function addContents(
  source: ArchiveSource,
  account: string,
  from: ArchivePlace,
  writer: ZipPiece,
): Promise<{ readonly place: ArchivePlace | undefined; readonly partial: boolean }> {
  const owner = await source.tables.get(accounts, { account });
  if (owner === undefined) throw new Error('an archive belongs to no account');
  const work: Work = { ...source, owner, writer };
  let place: Place = { ...from };
  for (;;) {
    const phase = PHASES.find((one) => one === place.phase) ?? 'media';
    const isDone = await ADD[phase](work, place);
    if (!isDone) return { place, partial: place.partial };
    const next = PHASES[PHASES.indexOf(phase) + 1];
    if (next === undefined) return { place: undefined, partial: place.partial };
    place = placeOf(next, place.partial);
  }
}

/** Each adds its part from a place, which it moves on. Resolves to true when the part is complete. */
const ADD: { readonly [P in Phase]: (work: Work, place: Place) => Promise<boolean> } = {
  async actor({ writer, owner, ...source }) {
    const { displayName, note, fields } = owner.profile ?? emptyProfile;
    const texts = fields.flatMap(({ name, value }) => [name, value]);
    const emojis: readonly EmojiPicture[] = source.emojiIn(displayName, note, ...texts);
    writer.begin('actor.json');
    const actor = document(actorDocument(source, owner, await source.publicPem(owner.id), emojis));
    writer.add(Buffer.from(JSON.stringify(actor, undefined, 2)), 'text');
    writer.end();
    return true;
  },
  outbox: (work, place) =>
    collection(work, place, { file: 'outbox.json', id: addressesOf(work).outbox, read: ownActivities }),
  likes: (work, place) => collection(work, place, { file: 'likes.json', id: 'likes.json', read: marked(favourites) }),
  bookmarks: (work, place) =>
    collection(work, place, { file: 'bookmarks.json', id: 'bookmarks.json', read: marked(bookmarks) }),
  media: addMedia,
};

const addressesOf = ({ baseUrl, owner }: Work) => actorAddresses(accountUri(baseUrl, owner));

const isFull = ({ writer }: Work): boolean => writer.dataBytes >= PIECE_BYTES;
const isOver = ({ writer, bytesMax }: Work, bytes = 0): boolean =>
  writer.bytes + bytes + MARGIN_BYTES > Math.min(bytesMax, ZIP_BYTES_MAX) || writer.files >= ZIP_FILES_MAX;

/** Some items, and the last row of their page; without one there are no more. */
interface Items {
  readonly items: readonly (string | object)[];
  readonly last: string | undefined;
}

/** Adds an ordered collection, oldest first. Its size follows its items, since it is known only then. */
async function collection(
  work: Work,
  place: Place,
  { file, id, read }: { readonly file: string; readonly id: string; read(work: Work, after: string): Promise<Items> },
): Promise<boolean> {
  const { writer } = work;
  const write = (text: string) => writer.add(Buffer.from(text), 'text');
  if (!writer.isOpen) {
    writer.begin(file);
    write(
      `{"@context":${JSON.stringify(CONTEXT)},"id":${JSON.stringify(id)},"type":"OrderedCollection","orderedItems":[`,
    );
  }
  while (!isFull(work)) {
    const { items, last } = isOver(work) ? NONE : await read(work, place.after);
    write(items.map((item, index) => `${index + place.count === 0 ? '' : ','}\n${JSON.stringify(item)}`).join(''));
    place.count += items.length;
    if (last === undefined) {
      place.partial ||= isOver(work);
      write(`\n],"totalItems":${place.count}}\n`);
      writer.end();
      return true;
    }
    place.after = last;
  }
  return false;
}

const NONE: Items = { items: [], last: undefined };

/** Returns the eras from the account's creation, or from `after`, up to now. */
const erasOf = ({ owner, nowMs }: Work, after: string): readonly [number, number] => [
  eraOfId(after === '' ? owner.id : after),
  eraOfMs(nowMs()) + 1,
];

const ownRows = ({ tables, owner, ...work }: Work, after: string) =>
  eraPages(erasOf({ tables, owner, ...work }, after), after, ROWS, (era, status, limit) =>
    tables.range(accountStatuses, { account: owner.id, era }, { after: { status }, limit }),
  );

/** Reads statuses and reblogs of the owner as the activities that published them, whoever may see them. */
async function ownActivities(work: Work, after: string): Promise<Items> {
  const rows = await ownRows(work, after);
  const records = await statusesOf(
    work,
    rows.map(({ key }) => key.status),
  );
  const own = records.filter((one) => one !== undefined);
  const named = await statusesOf(
    work,
    own.flatMap(({ reblogOfId, quote }) => [reblogOfId ?? [], acceptedQuote(quote) ?? []].flat()),
  );
  const byId = new Map(named.flatMap((one) => (one === undefined ? [] : [[one.id, one] as const])));
  const shown = own.flatMap((record): Shown[] => {
    const original = byId.get(record.reblogOfId ?? '');
    if (record.reblogOfId !== undefined && original === undefined) return [];
    return [{ record, original, quoted: byId.get(acceptedQuote(record.quote) ?? '') }];
  });
  return { items: await objectsOf(work, work.owner, shown, 'activity'), last: rows.at(-1)?.key.status };
}

const acceptedQuote = (quote: StoreStatusRecord['quote']): string | undefined =>
  quote?.state === 'accepted' ? quote.statusId : undefined;

/** Reads the addresses of statuses that the owner has marked. */
const marked =
  (table: typeof favourites | typeof bookmarks) =>
  async (work: Work, after: string): Promise<Items> => {
    const { tables, owner, baseUrl } = work;
    const rows = await eraPages(erasOf(work, after), after, ROWS, (era, mark, limit) =>
      tables.range(table, { account: owner.id, era }, { after: { mark }, limit }),
    );
    const records = (
      await statusesOf(
        work,
        rows.map(({ value }) => value.statusId),
      )
    ).filter((one) => one !== undefined);
    const authors = await tables.getMany(
      accounts,
      records.map(({ accountId }) => ({ account: accountId })),
    );
    const items = records.flatMap((record, index) => {
      const author = authors[index];
      return author === undefined ? [] : statusUri(baseUrl, record, author);
    });
    return { items, last: rows.at(-1)?.key.mark };
  };

async function statusesOf({ tables }: Work, ids: readonly string[]): Promise<(StoreStatusRecord | undefined)[]> {
  const found = await tables.getMany(
    statuses,
    ids.map((status) => ({ status })),
  );
  return found.map((one) => (one?.deleted === false ? one : undefined));
}

/** Adds the pictures of the profile, and the files of statuses, oldest first, under the path of their addresses. */
async function addMedia(work: Work, place: Place): Promise<boolean> {
  const { avatar, header } = work.owner.profile ?? emptyProfile;
  if (place.after === '') {
    if (!(await addFiles(work, place, [avatar, header]))) return false;
    place.after = '0';
  }
  for (;;) {
    const rows = await ownRows(work, place.after);
    if (rows.length === 0) return true;
    const wanted = rows.filter(({ value }) => value.hasMedia === true && value.reblogOfId === undefined);
    const records = await statusesOf(
      work,
      wanted.map(({ key }) => key.status),
    );
    for (const [index, row] of wanted.entries()) {
      const media = records[index]?.media?.media ?? [];
      const files = media.map(({ state, file }) => (state === 'ready' ? file : ''));
      if (!(await addFiles(work, place, files))) return false;
      place.after = row.key.status;
    }
    place.after = rows.at(-1)?.key.status ?? place.after;
  }
}

/** Adds some files from the one at which the place is. Resolves to false when the piece is full before all are added. */
async function addFiles(work: Work, place: Place, files: readonly (string | undefined)[]): Promise<boolean> {
  const { writer, media } = work;
  for (; place.item < files.length; place.item++) {
    if (isFull(work)) return false;
    const name = files[place.item];
    const file = name === undefined || name === '' ? undefined : await media.open(name);
    if (file === undefined || name === undefined) {
      // A file that was deleted between two pieces ends where it is.
      if (writer.isOpen) writer.end();
      place.byte = 0;
      continue;
    }
    if (!writer.isOpen) {
      if (isOver(work, file.size)) {
        place.partial = true;
        continue;
      }
      writer.begin(`media/${name}`);
    }
    for await (const bytes of file.read(place.byte, Math.min(file.size, place.byte + PIECE_BYTES))) {
      writer.add(bytes, 'stored');
      place.byte += bytes.length;
    }
    if (place.byte < file.size) return false;
    writer.end();
    place.byte = 0;
  }
  place.item = 0;
  return true;
}
