import { Type } from '@sinclair/typebox';
import { REVISIONS_MAX } from '../../../actors/conversation/edit.js';
import { storedId } from '../../../actors/domain/ids.js';
import { type Problem, problem } from '../../../actors/domain/problem.js';
import { isPublished } from '../../../actors/domain/standing.js';
import type { AccountMedia, StoreStatusRecord } from '../../../proto/gen/types.js';
import { accounts, statuses, statusRevisions } from '../../../store/tables.js';
import { type Answer, type AnyRoute, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { REMOTE_HASH, remoteHash } from '../../settings/remote-media.js';
import { notFound } from '../../viewing/visible.js';
import { fileAnswer, SAFE_HEADERS } from './media-files.js';

/** Time for which clients keep a file: a status that was deleted meanwhile is not read again. */
const KEPT = 'public, max-age=86400';
const params = Type.Object({
  id: Type.String({ pattern: '^[0-9]{1,20}$' }),
  hash: Type.String({ pattern: REMOTE_HASH }),
});

type Finds = (services: Services, id: string, hash: string) => Promise<string | undefined>;

/** Serves what a stored record names, and nothing else, so that nobody can make this server fetch what they like. */
const proxy = (path: string, find: Finds): AnyRoute =>
  route({
    method: 'GET',
    path,
    auth: 'none',
    params,
    handle: async ({ services, params: { id, hash }, headers }) => {
      const url = await find(services, id, hash);
      const cached = url === undefined ? 'missing' : await services.remoteMedia.open(url);
      if (cached === 'missing') return notFound();
      if (cached === 'busy') return busy();
      const { name, type, file } = cached;
      const etag = `"${name}"`;
      const shared = { ...SAFE_HEADERS, 'cache-control': KEPT, 'content-type': type, etag };
      if (headers['if-none-match'] === etag) return { status: 304, headers: shared, body: '' } satisfies Answer;
      const isCurrent = headers['if-range'] === undefined || headers['if-range'] === etag;
      return fileAnswer(file, isCurrent ? headers.range : undefined, shared);
    },
  });

const busy = (): Problem => problem('unavailable', 'Too many files of other servers are being fetched');

/** Media and emoji of statuses, by id of the status and hash of the address. */
const ofStatus: Finds = async ({ tables, limits }, id, hash) => {
  const record = await tables.get(statuses, { status: storedId(id) });
  if (record?.domain === undefined || record.deleted || limits.suspended(record.accountId)) return undefined;
  if (isClosed(limits, record.domain)) return undefined;
  const found = among([...urlsOf(record.media?.media), ...(record.remote?.emojis ?? []).map(({ url }) => url)], hash);
  return found ?? (await earlier({ tables }, record, hash));
};

/** Finds an address in earlier versions of a status, which its history shows. */
async function earlier(
  { tables }: Pick<Services, 'tables'>,
  { id, edits }: StoreStatusRecord,
  hash: string,
): Promise<string | undefined> {
  if (edits === undefined) return undefined;
  const rows = await tables.range(statusRevisions, { status: id }, { limit: REVISIONS_MAX + 1 });
  return among(
    rows.flatMap(({ value }) => urlsOf(value.media?.media)),
    hash,
  );
}

/** Pictures and emoji of accounts. */
const ofAccount: Finds = async ({ tables, limits }, id, hash) => {
  const record = await tables.get(accounts, { account: storedId(id) });
  const { remote } = record ?? {};
  if (record?.domain === undefined || remote === undefined || !isPublished(record)) return undefined;
  if (limits.suspended(record.id) || isClosed(limits, record.domain)) return undefined;
  return among([remote.avatarUrl, remote.headerUrl, ...remote.emojis.map(({ url }) => url)], hash);
};

function isClosed({ domains }: Pick<Services['limits'], 'domains'>, domain: string): boolean {
  const { suspended, rejectsMedia } = domains.of(domain);
  return suspended || rejectsMedia;
}

const urlsOf = (media: readonly AccountMedia[] = []): string[] =>
  media.flatMap(({ remote }) => (remote === undefined ? [] : [remote.url]));

const among = (urls: readonly string[], hash: string) => urls.find((url) => url !== '' && remoteHash(url) === hash);

/** Files of other servers, which this one fetches and keeps: their servers do not learn who reads them. */
export const mediaProxyRoutes: readonly AnyRoute[] = [
  proxy('/media_proxy/statuses/:id/:hash', ofStatus),
  proxy('/media_proxy/accounts/:id/:hash', ofAccount),
];
