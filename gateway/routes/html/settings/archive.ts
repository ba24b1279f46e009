import { zipEnd } from '../../../../actors/archive/zip.js';
import { isProblem } from '../../../../actors/domain/problem.js';
import type { ArchiveTold } from '../../../../proto/gen/types.js';
import { archivePage } from '../../../html/settings/archive-page.js';
import { type AnyRoute, redirect, Streamed } from '../../../http/route.js';
import type { Services } from '../../../http/services.js';
import { isoDay } from '../../../paging/iso-time.js';
import { answered, notFound } from '../../../viewing/visible.js';
import { type Personal, personalForm, personalPage } from '../personal.js';

const PATH = '/settings/archive';

type Own = Personal<unknown, unknown, unknown>;

const toldTo = async ({ request, session }: Own): Promise<ArchiveTold> =>
  answered(await request.services.askArchive(session.account.id, 'tellArchive', {}));

async function shown(personal: Own, isRefused: boolean) {
  const told = await toldTo(personal);
  const { site, reader, request } = personal;
  const nowMs = request.services.clock.nowMs();
  return archivePage(site, reader, { told, bytes: layoutOf(told).size, nowMs, isRefused });
}

const show = personalPage({ path: PATH }, (personal) => shown(personal, false));

const ask = personalForm({ path: PATH, body: {} }, async (personal) => {
  const { request, session } = personal;
  const begun = await request.services.askArchive(session.account.id, 'begin', {});
  if (!isProblem(begun)) return redirect(PATH, 303);
  return begun.problem === 'limit_reached' ? shown(personal, true) : begun;
});

/** The archive itself. A session of its owner is needed each time: it contains what nobody else may read. */
const download = personalPage({ path: `${PATH}/download` }, async (personal) => {
  const told = await toldTo(personal);
  if (told.readyMs === 0) return notFound();
  const { request, session } = personal;
  const { username } = session.account;
  const day = isoDay(told.begunMs);
  const headers = {
    'content-type': 'application/zip',
    'content-disposition': `attachment; filename="${username}-${day}.zip"`,
    'cache-control': 'private, no-store',
  };
  const { size } = layoutOf(told);
  return { status: 200, headers, body: new Streamed(size, () => bytesOf(request.services.media, told)) };
});

/** Returns the end of the ZIP, and the size of the whole in bytes. */
function layoutOf({ pieces, zip = { bytes: 0, files: 0 } }: ArchiveTold) {
  const directoryBytes = pieces.reduce((sum, piece) => sum + piece.directoryBytes, 0);
  const end = zipEnd(zip, directoryBytes);
  return { end, size: zip.bytes + directoryBytes + end.length };
}

/** Yields the data of all pieces, then their directories. */
async function* bytesOf(media: Services['media'], told: ArchiveTold): AsyncGenerator<Uint8Array> {
  for (const { file, dataBytes } of told.pieces) yield* partOf(media, file, 0, dataBytes);
  for (const { file, dataBytes, directoryBytes } of told.pieces)
    yield* partOf(media, file, dataBytes, dataBytes + directoryBytes);
  yield layoutOf(told).end;
}

async function* partOf(media: Services['media'], name: string, from: number, to: number): AsyncGenerator<Uint8Array> {
  const file = await media.open(name);
  if (file === undefined) throw new Error('a piece of an archive is missing');
  yield* file.read(from, to);
}

/** The archive of a person's data. */
export const archiveRoutes: readonly AnyRoute[] = [show, ask, download];
