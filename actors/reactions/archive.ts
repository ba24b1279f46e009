import { createHash } from 'node:crypto';
import type { ArchivePiece, ArchivePlace, ArchiveZip } from '../../proto/gen/types.js';
import type { MediaStore } from '../../store/media.js';
import { type Commands, type Events, EXPIRY_ALARM, expiryOf, type State } from '../archive/archive.js';
import { ZipPiece } from '../archive/zip.js';
import { inTurns } from '../runtime/effects/in-turns.js';
import type { Effects, Happened, Reaction } from '../runtime/kind.js';
import { type ArchiveSource, addContents, FIRST_PLACE } from './archive-contents.js';

export interface ArchiveContext extends Omit<ArchiveSource, 'media'> {
  readonly media: MediaStore;
}

/**
 * Builds an archive piece by piece after the reply. Each piece is a file of the media store, which a journal entry adds,
 * so a crash or a takeover repeats one piece at most.
 */
export function archiveReactions(context: ArchiveContext): readonly Reaction<State, Events>[] {
  // A piece takes some 20 MB, and people's requests come first.
  const inTurn = inTurns(1);
  const next = async (number: number, zip: ArchiveZip, place: ArchivePlace, now: Happened<State>, effects: Effects) => {
    const { begunMs, pieces } = now.state;
    // An earlier attempt has added it.
    if (pieces.length > number) return;
    const built = await effects.outside(inTurn(() => build(context, now, number, zip, place)));
    if (built === undefined) return;
    await effects.tell('archive', now.self, 'addPiece', { begunMs, number, ...built } satisfies AddPiece);
  };
  const removeAll = async (files: readonly string[]) => {
    for (const file of files) await context.media.remove(file);
  };
  return [
    {
      surface: 'archive',
      beforeReply: false,
      on: {
        async begun({ files, atMs }, now, effects) {
          await removeAll(files);
          if (now.state.begunMs === atMs) await next(0, { bytes: 0, files: 0 }, FIRST_PLACE, now, effects);
        },
        async pieceAdded({ number, zip, place, atMs }, now, effects) {
          if (zip === undefined || !now.state.exists) return;
          if (place !== undefined) return next(number + 1, zip, place, now, effects);
          const expiresMs = expiryOf({ ...now.state, readyMs: atMs });
          await effects.setAlarm(expiresMs, EXPIRY_ALARM);
          await effects.tell('account', now.self, 'noteArchive', { expiresMs });
        },
        discarded: ({ files }) => removeAll(files),
        leftOver: ({ files }) => removeAll(files),
      },
    },
  ];
}

type AddPiece = Commands['addPiece']['in'];

interface Built {
  readonly piece: ArchivePiece;
  readonly zip: ArchiveZip;
  readonly place: ArchivePlace | undefined;
  readonly partial: boolean;
}

/** Builds and stores a piece; undefined if the archive was discarded. @throws Unavailable */
async function build(
  context: ArchiveContext,
  { self, state }: Happened<State>,
  number: number,
  zip: ArchiveZip,
  from: ArchivePlace,
): Promise<Built | undefined> {
  if (!state.exists) return undefined;
  const writer = new ZipPiece(zip, state.begunMs);
  const reached = await addContents(context, self, from, writer);
  const { bytes, piece, zip: next } = writer.finish();
  const file = fileOf(`${self} ${state.begunMs} ${number} `, bytes);
  await context.media.put(file, bytes);
  return { piece: { file, ...piece }, zip: next, ...reached };
}

/** Two attempts that read different data get different names, so a late one of a former owner damages nothing. */
const fileOf = (attempt: string, bytes: Uint8Array): string =>
  `${createHash('sha256').update(attempt).update(bytes).digest('hex').slice(0, 32)}.zip`;
