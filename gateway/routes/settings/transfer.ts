import { Type } from '@sinclair/typebox';
import { exportPage, type ImportState, importPage } from '../../html/settings/transfer-pages.js';
import { type AnyRoute, type Uploaded, uploaded } from '../../http/route.js';
import { notFound } from '../../viewing/visible.js';
import { type Personal, personalForm, personalPage } from '../html/personal.js';
import { importRows } from './importing.js';
import { KINDS, type Kind, ownList } from './own-lists.js';
import { fileOf, IMPORT_BYTES_MAX, IMPORT_ROWS_MAX, REST_CHARS_MAX, rowsOf } from './transfer-rows.js';

const EXPORT = '/settings/export';
const IMPORT = '/settings/import';

type Own = Personal<unknown, unknown, unknown>;

const exports = personalPage({ path: EXPORT }, async ({ site, reader }) => exportPage(site, reader));

const download = personalPage(
  { path: '/settings/exports/:file', params: Type.Object({ file: Type.String({ maxLength: 40 }) }) },
  async ({ request, session }) => {
    const kind = KINDS.find((one) => request.params.file === `${one}.csv`);
    if (kind === undefined) return notFound();
    const entries = await ownList(request.services, session.account.id, kind);
    const headers = {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${kind}.csv"`,
      'cache-control': 'private, no-store',
    };
    const rows = entries.map(({ cells }) => cells);
    return { status: 200, headers, body: fileOf(kind, rows) };
  },
);

const show = personalPage({ path: IMPORT }, async ({ site, reader, request }) => {
  const { kind, mode } = request.refused?.typed ?? {};
  const known = KINDS.find((one) => one === kind) ?? 'follows';
  return importPage(site, reader, { kind: known, replaces: mode === 'overwrite' });
});

const words = (all: readonly string[]) => Type.Union(all.map((word) => Type.Literal(word)));

const take = personalForm(
  {
    path: IMPORT,
    page: show,
    body: {
      kind: words(KINDS),
      mode: words(['merge', 'overwrite']),
      data: Type.Optional(uploaded()),
      /** Rows that an earlier request has left. */
      rows: Type.String({ default: '', maxLength: REST_CHARS_MAX }),
    },
  },
  async (personal) => {
    const { site, reader, request } = personal;
    const { data, rows: rest } = request.body as { readonly data?: Uploaded; readonly rows: string };
    const kind = request.body.kind as Kind;
    const replaces = request.body.mode === 'overwrite';
    const text = rest === '' && data !== undefined ? textOf(data) : rest;
    const { texts } = reader;
    const refused = (fault: string) => importPage(site, reader, { kind, replaces, fault });
    if (text === undefined) return refused(texts.settings.data.transfer.unreadable(IMPORT_BYTES_MAX / 1_000));
    const rows = rowsOf(kind, text);
    if (rows === undefined) return refused(texts.settings.data.transfer.tooMany(IMPORT_ROWS_MAX));
    if (rows.length === 0) return refused(texts.settings.data.transfer.empty);
    return importPage(site, reader, await imported(personal, kind, rows, replaces));
  },
);

/** Exports and imports of a person's lists, in Mastodon's formats. */
export const transferRoutes: readonly AnyRoute[] = [exports, download, show, take];

async function imported(
  { request, session, api }: Own,
  kind: Kind,
  rows: readonly (readonly string[])[],
  replaces: boolean,
): Promise<ImportState> {
  const importing = { services: request.services, viewer: session.account.id, kind, api };
  const { rest, ...result } = await importRows(importing, rows, replaces);
  return { kind, replaces: result.replaces, result: { ...result, rest: fileOf(kind, rest), left: rest.length } };
}

/** Returns the text of a file; undefined if it is too large or no text. */
function textOf({ bytes }: Uploaded): string | undefined {
  if (bytes.length > IMPORT_BYTES_MAX) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
