import { Type } from '@sinclair/typebox';
import { isProblem, type Problem } from '../../../../actors/domain/problem.js';
import {
  type ListedBlock,
  readBlocks,
  writeBlocks,
  writeDomains,
} from '../../../../actors/domain/servers/block-list.js';
import { type AnyRoute, redirect, uploaded } from '../../../http/route.js';
import type { Services } from '../../../http/services.js';
import { LIST_BYTES_MAX, LIST_LINES_MAX } from '../../../moderation/block-lists.js';
import { addListedAllows, addListedBlocks, listedBlocks, tooMany } from '../../../moderation/listed-blocks.js';
import { personalForm, personalPage } from '../personal.js';
import { type EntryPages, showEntries } from './entries.js';

/** Boundaries and other fields of the form. */
const FORM_BYTES_MAX = 10_000;

/** Writes and reads a list of domains. */
interface DomainFile {
  readonly written: (services: Services) => Promise<string>;
  readonly added: (
    services: Services,
    by: string,
    listed: readonly ListedBlock[],
  ) => Promise<{ readonly added: number; readonly skipped: readonly string[] } | Problem>;
}

const FILES: Readonly<Record<string, DomainFile>> = {
  domain_blocks: { written: async (services) => writeBlocks(await listedBlocks(services)), added: addListedBlocks },
  domain_allows: {
    written: async ({ entries }) => writeDomains((await entries.of('domain_allows')).map(({ key }) => key)),
    added: (services, by, listed) =>
      addListedAllows(
        services,
        by,
        listed.map(({ domain }) => domain),
      ),
  },
};

/** Returns what exports and imports a list of domains as CSV. `list` shows it. */
export function domainFileRoutes<R>(kind: EntryPages<R>, list: AnyRoute): AnyRoute[] {
  const { collection, permission } = kind;
  const file = FILES[collection];
  if (file === undefined) return [];
  const path = `/moderation/${collection}`;
  const exported = personalPage({ path: `${path}/export`, permission }, async ({ request }) => ({
    status: 200,
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${collection}.csv"`,
      'cache-control': 'private, no-store',
    },
    body: await file.written(request.services),
  }));
  const imported = personalForm(
    {
      ...{ path: `${path}/import`, page: list, permission },
      body: { file: Type.Optional(uploaded()) },
      multipartBytesMax: LIST_BYTES_MAX + FORM_BYTES_MAX,
    },
    async (moderator) => {
      const { reader, request, session } = moderator;
      const text = Buffer.from(request.body.file?.bytes ?? []).toString('utf8');
      const listed = readBlocks(text, LIST_LINES_MAX);
      const refuse = (message: string) => showEntries(kind, moderator, { faults: { file: message } });
      if (listed.length === 0) return refuse(reader.texts.moderation.entries.noFile);
      const done = tooMany(listed) ?? (await file.added(request.services, session.account.id, listed));
      if (isProblem(done)) return refuse(done.detail);
      return redirect(`${path}?added=${done.added}&skipped=${done.skipped.length}`, 303);
    },
  );
  return [exported, imported];
}
