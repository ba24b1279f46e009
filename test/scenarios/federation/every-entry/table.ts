import type { Row } from './case.js';
import { contentRows } from './content-rows.js';
import type { Entry } from './entry.js';
import { KINDS } from './entry.js';
import { originRows } from './origin-rows.js';
import { otherEntries } from './others.js';
import { statusEntries } from './statuses.js';

/** All ways by which documents of other servers come in. */
export const ENTRIES: readonly Entry[] = [
  { name: 'a signed request', kind: 'inbox', by: ['actors/federation/inbox/inbox.ts #receive'] },
  {
    ...{ name: 'what an activity undoes, answers or asks for', kind: 'named' },
    by: [
      'actors/federation/incoming/undo.ts take',
      'actors/federation/incoming/local.ts answeredFollow',
      'actors/federation/incoming/permissions/answered-request.ts answeredRequest',
      'actors/federation/incoming/collections.ts take',
      'actors/federation/incoming/update.ts orderOf',
    ],
  },
  ...statusEntries,
  ...otherEntries,
  { name: 'a linked page', kind: 'page', by: ['transport/web/link-pages.ts client.get'] },
  { name: 'a list of domains', kind: 'domains', by: ['gateway/moderation/block-lists.ts #needs.fetch'] },
];

const suspended: Row = {
  name: 'suspension bypass',
  isSuspended: true,
  cells: {
    ...(Object.fromEntries(KINDS.map((kind) => [kind, [() => ({})]])) as unknown as Row['cells']),
    ...Object.fromEntries(
      ['inbox', 'named'].map((kind) => [
        kind,
        {
          file: 'actors/federation/inbox/inbox.test.ts',
          title: 'nothing is taken from a suspended server, and nothing is fetched from it',
        },
      ]),
    ),
    page: 'a limit of a domain is one of accounts; pages may be linked',
    domains: 'an operator who subscribes to a list reads it from where it is',
  },
};

/** All attacks on federation. */
export const ROWS: readonly Row[] = [...originRows, ...contentRows, suspended];
