import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';

export interface Commands {
  /** Begins a new archive. An earlier one is removed. */
  begin: { in: P.ArchiveEmpty; out: P.ArchiveEmpty };
  /** Sent by the archive to itself. The file of a piece that has no use is removed. */
  addPiece: { in: P.ArchiveAddPiece; out: P.ArchiveEmpty };
  tellArchive: { in: P.ArchiveEmpty; out: P.ArchiveTold };
  /** Removes the archive of a deleted account. */
  discard: { in: P.ArchiveEmpty; out: P.ArchiveEmpty };
  /** Removes an archive that has expired. */
  alarm: { in: P.StoreAlarmCall; out: P.ArchiveEmpty };
}
export interface Events {
  begun: P.ArchiveBegun;
  pieceAdded: P.ArchivePieceAdded;
  discarded: P.ArchiveFiles;
  /** Pieces of an archive that was discarded meanwhile, or that another attempt added. */
  leftOver: P.ArchiveFiles;
}
export interface State {
  /** Time at which the last archive was asked for; 0: none was. */
  begunMs: number;
  /** False before the first archive, and after one was removed. */
  exists: boolean;
  /** Time at which it was complete; 0: it is being built. */
  readyMs: number;
  pieces: readonly P.ArchivePiece[];
  zip: P.ArchiveZip;
  /** True if it lacks something for want of room. */
  partial: boolean;
}

/** Time between two archives of a person. Each reads everything that the person wrote. Source: Mastodon BackupPolicy. */
export const ARCHIVE_AGAIN_MS = 7 * 86_400_000;
/** Time for which an archive can be downloaded. Source: Mastodon, the retention of backups. */
export const ARCHIVE_KEPT_MS = 7 * 86_400_000;
/** Subject of the alarm that removes an archive. */
export const EXPIRY_ALARM = 'expiry';

const EMPTY_ZIP: P.ArchiveZip = Object.freeze({ bytes: 0, files: 0 });
const NOTHING = { events: [], reply: {} };

export const noArchive = (): State => ({
  begunMs: 0,
  exists: false,
  readyMs: 0,
  pieces: [],
  zip: EMPTY_ZIP,
  partial: false,
});

const filesOf = ({ pieces }: Readonly<State>): string[] => pieces.map(({ file }) => file);

const removed = (state: Readonly<State>) => ({
  events: [{ type: 'discarded' as const, files: filesOf(state) }],
  reply: {},
});

const empty = codec('murmuration.archive.Empty');

/** The archive of one person's data: which pieces of it are stored, and until when. */
export const archive: Slice<State, Commands, Events> = {
  decide: {
    begin(state, _command, { nowMs }) {
      if (state.begunMs > 0 && nowMs - state.begunMs < ARCHIVE_AGAIN_MS)
        return problem('limit_reached', 'Validation failed: An archive can be requested every 7 days');
      return { events: [{ type: 'begun', atMs: nowMs, files: filesOf(state) }], reply: {} };
    },
    addPiece(state, { begunMs, number, piece, zip, place, partial }, { nowMs }) {
      if (piece === undefined || zip === undefined) return problem('bad_request', 'No piece');
      const isOpen = state.exists && state.begunMs === begunMs && state.readyMs === 0;
      if (!isOpen || number !== state.pieces.length)
        return filesOf(state).includes(piece.file)
          ? NOTHING
          : { events: [{ type: 'leftOver', files: [piece.file] }], reply: {} };
      const added = { number, piece, zip, place, partial, atMs: nowMs };
      return { events: [{ type: 'pieceAdded', ...added }], reply: {} };
    },
    tellArchive: (state) => ({ events: [], reply: toldOf(state) }),
    discard: (state) => (state.exists ? removed(state) : NOTHING),
    alarm(state, { what, atMs }, { nowMs }) {
      if (what !== EXPIRY_ALARM || !state.exists || atMs !== expiryOf(state)) return NOTHING;
      return nowMs < atMs ? problem('unavailable', 'It is not time yet') : removed(state);
    },
  },
  apply: {
    begun: (state, { atMs }) => void Object.assign(state, noArchive(), { begunMs: atMs, exists: true }),
    pieceAdded(state, { piece, zip = EMPTY_ZIP, place, partial, atMs }) {
      if (piece !== undefined) state.pieces = [...state.pieces, piece];
      state.zip = zip;
      state.partial = partial;
      if (place === undefined) state.readyMs = atMs;
    },
    leftOver() {},
    discarded: (state) => void Object.assign(state, noArchive(), { begunMs: state.begunMs }),
  },
  commands: {
    begin: { in: empty, out: empty, repeats: 'never', local: true },
    addPiece: { in: codec('murmuration.archive.AddPiece'), out: empty, repeats: 'idempotent', local: true },
    tellArchive: { in: empty, out: codec('murmuration.archive.Told'), repeats: 'query', local: true },
    discard: { in: empty, out: empty, repeats: 'idempotent', local: true },
    alarm: { in: codec('murmuration.store.AlarmCall'), out: empty, repeats: 'idempotent', local: true },
  },
  events: {
    begun: { codec: codec('murmuration.archive.Begun'), invalidates: false },
    pieceAdded: { codec: codec('murmuration.archive.PieceAdded'), invalidates: false },
    discarded: { codec: codec('murmuration.archive.Files'), invalidates: false, forgets: true },
    leftOver: { codec: codec('murmuration.archive.Files'), invalidates: false },
  },
};

/** Returns the time at which a complete archive expires. */
export const expiryOf = ({ readyMs }: Readonly<State>): number => readyMs + ARCHIVE_KEPT_MS;

function toldOf(state: Readonly<State>): P.ArchiveTold {
  const { begunMs, exists, readyMs, partial, zip, pieces } = state;
  const againMs = begunMs === 0 ? 0 : begunMs + ARCHIVE_AGAIN_MS;
  if (readyMs === 0) return { begunMs, exists, readyMs, againMs, expiresMs: 0, partial: false, pieces: [] };
  return { begunMs, exists, readyMs, againMs, expiresMs: expiryOf(state), partial, zip, pieces: [...pieces] };
}
