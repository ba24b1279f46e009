import { Type } from '@sinclair/typebox';
import { isProblem, type Problem } from '../../../../actors/domain/problem.js';
import { writeCsv } from '../../../../actors/domain/text/csv.js';
import { importedRows } from '../../../../actors/imports/imported-rows.js';
import type { ImportsJob } from '../../../../proto/gen/types.js';
import { readWhole } from '../../../../store/media.js';
import { exportPage, importPage } from '../../../html/settings/transfer-pages.js';
import { type Answer, type AnyRoute, redirect, Streamed, type Uploaded, uploaded } from '../../../http/route.js';
import type { Services } from '../../../http/services.js';
import { field } from '../../../oauth/form.js';
import { answered, notFound } from '../../../viewing/visible.js';
import { type Personal, personalForm, personalPage } from '../personal.js';
import { KINDS, type Kind, kindOf, ownList } from './own-lists.js';
import { csvText, fileOf, headOf, IMPORT_BYTES_MAX, IMPORT_ROWS_MAX, rowsOf } from './transfer-rows.js';

const EXPORT = '/settings/export';
const IMPORT = '/settings/import';

type Own = Personal<unknown, unknown, unknown>;

const exports = personalPage({ path: EXPORT }, async ({ site, reader }) => exportPage(site, reader));

const file = Type.Object({ file: Type.String({ maxLength: 40 }) });
const kindOfFile = (name: string): Kind | undefined => KINDS.find((one) => name === `${one}.csv`);

/** The whole list, read as fast as the client accepts it. */
const download = personalPage({ path: '/settings/exports/:file', params: file }, async ({ request, session }) => {
  const kind = kindOfFile(request.params.file);
  if (kind === undefined) return notFound();
  return csvAnswer(`${kind}.csv`, () => exported(request.services, session.account.id, kind));
});

async function* exported(services: Services, viewer: string, kind: Kind): AsyncGenerator<Uint8Array> {
  yield Buffer.from(headOf(kind));
  for await (const some of ownList(services, viewer, kind)) {
    const rows = some.map(({ cells }) => cells);
    if (rows.length > 0) yield Buffer.from(writeCsv(rows));
  }
}

const csvAnswer = (name: string, read: () => AsyncIterable<Uint8Array>): Answer => ({
  status: 200,
  headers: {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'private, no-store',
  },
  body: new Streamed(undefined, read),
});

async function jobsOf({ request, session }: Own): Promise<readonly ImportsJob[]> {
  const { jobs } = answered(await request.services.askImports(session.account.id, 'tellImports', {}));
  return jobs;
}

async function shown(
  personal: Own,
  form: { readonly kind: Kind; readonly replaces: boolean; readonly fault?: string },
) {
  const { site, reader, request } = personal;
  const nowMs = request.services.clock.nowMs();
  return importPage(site, reader, { ...form, jobs: await jobsOf(personal), nowMs });
}

const show = personalPage({ path: IMPORT }, async (personal) => {
  const { kind, mode } = personal.request.refused?.typed ?? {};
  return shown(personal, { kind: kindOf(kind) ?? 'follows', replaces: mode === 'overwrite' });
});

const words = (all: readonly string[]) => Type.Union(all.map((word) => Type.Literal(word)));

const take = personalForm(
  {
    path: IMPORT,
    page: show,
    body: { kind: words(KINDS), mode: words(['merge', 'overwrite']), data: Type.Optional(uploaded()) },
  },
  async (personal) => {
    const { reader, request } = personal;
    const { data } = request.body as { readonly data?: Uploaded };
    const kind = request.body.kind as Kind;
    const replaces = request.body.mode === 'overwrite';
    const texts = reader.texts.settings.data.transfer;
    const refused = async (fault: string, status = 422) => ({
      ...(await shown(personal, { kind, replaces, fault })),
      status,
    });
    const text = data === undefined ? undefined : csvText(data.bytes);
    if (text === undefined) return refused(texts.unreadable(IMPORT_BYTES_MAX / 1_000));
    const rows = rowsOf(kind, text);
    if (rows === undefined) return refused(texts.tooMany(IMPORT_ROWS_MAX));
    if (rows.length === 0) return refused(texts.empty);
    const begun = await begin(personal, kind, rows, replaces);
    if (begun === undefined) return refused(texts.running, 409);
    return isProblem(begun) ? begun : redirect(IMPORT, 303);
  },
);

/** Stores the rows and begins their import. Returns undefined if another of the kind runs. */
async function begin(
  { request: { services }, session }: Own,
  kind: Kind,
  rows: readonly (readonly string[])[],
  replaces: boolean,
): Promise<Problem | object | undefined> {
  const name = `${Buffer.from(services.random.bytes(16)).toString('hex')}.csv`;
  const { id } = session.account;
  const expected = await services.askImports(id, 'expect', { kind, file: name });
  if (isProblem(expected)) return unlessRunning(expected);
  await services.media.put(name, Buffer.from(writeCsv(rows)));
  const begun = await services.askImports(id, 'begin', { kind, file: name, rows: rows.length, replaces });
  if (!isProblem(begun)) return begun;
  await services.media.remove(name);
  return unlessRunning(begun);
}

const unlessRunning = (refused: Problem): Problem | undefined => (refused.problem === 'conflict' ? undefined : refused);

/** Ends an import that runs; an ended one stays as it is. */
const cancel = personalForm({ path: `${IMPORT}/cancel`, page: show, body: { file: field() } }, async (personal) => {
  const { request, session } = personal;
  const job = (await jobsOf(personal)).find((one) => one.file === request.body.file);
  if (job === undefined) return redirect(IMPORT, 303);
  const command = { kind: job.kind, file: job.file, how: 'cancelled' };
  const ended = await request.services.askImports(session.account.id, 'end', command);
  return isProblem(ended) ? ended : redirect(IMPORT, 303);
});

/** The rows of an import that could not be done, as a file that can be corrected and imported. */
const failures = personalPage({ path: '/settings/imports/:file', params: file }, async (personal) => {
  const { request } = personal;
  const kind = kindOfFile(request.params.file);
  const job = (await jobsOf(personal)).find((one) => one.kind === kind);
  if (kind === undefined || job === undefined) return notFound();
  const bytes = await readWhole(request.services.media, job.file);
  const rows = importedRows(bytes ?? new Uint8Array());
  const failed = job.failed.flatMap((index) => (rows[index] === undefined ? [] : [rows[index]]));
  return csvAnswer(`${kind}-failures.csv`, async function* () {
    yield Buffer.from(fileOf(kind, failed));
  });
});

/** Exports and imports of a person's lists, in Mastodon's formats. */
export const transferRoutes: readonly AnyRoute[] = [exports, download, show, take, cancel, failures];
