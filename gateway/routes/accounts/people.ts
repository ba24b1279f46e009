import { Type } from '@sinclair/typebox';
import { PERSONAL_NOTE_CHARS_MAX } from '../../../actors/account/personal-notes.js';
import { storedId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { isSuspended } from '../../../actors/domain/standing.js';
import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import { following } from '../../../store/tables.js';
import { familiarFollowers } from '../../discovery/familiar.js';
import { findAccount, refreshRemote } from '../../discovery/find-remote.js';
import { entity, time, uri } from '../../http/entity.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { Account, renderAccount } from '../../pages/account/account.js';
import { accountPage, idParams } from '../../pages/answers.js';
import { CachedJson } from '../../pages/cached-json.js';
import { arrayOf } from '../../pages/status/status-pages.js';
import { idText, pageBounds, pageQuery } from '../../paging/bounds.js';
import { emptyPage } from '../../paging/page.js';
import { type Soon, soon } from '../../paging/soon.js';
import type { Lens } from '../../viewing/lens.js';
import { loadAccounts } from '../../viewing/people-at-hand.js';
import { askSoon } from '../../viewing/read-services.js';
import { answered, lensOf, notFound, publishedAccount } from '../../viewing/visible.js';
import { ACCT_CHARS_MAX } from './accounts.js';
import { acting } from './acting.js';
import { edgeAnswer } from './mutes.js';

/** The REST API's FamiliarFollowers. */
const FamiliarFollowers = entity('FamiliarFollowers', {
  accounts: Type.Array(Account),
  id: Type.String(),
});

/** The REST API's IdentityProof. */
const IdentityProof = entity('IdentityProof', {
  profile_url: uri(),
  proof_url: uri(),
  provider: Type.String(),
  provider_username: Type.String(),
  updated_at: time(),
});

const WRITE = 'write:accounts';
const COMMA = Buffer.from(',');
const ACCOUNTS = Buffer.from(',"accounts":[');
const CLOSE = Buffer.from(']}');
/** Accounts in one request: each takes some reads. */
const FAMILIAR_ASKED_MAX = 40;

const note = acting('note', WRITE, Type.Object({ comment: commentText() }), (services, viewer, { id }, { comment }) =>
  services.askAccount(viewer, 'writeNote', { target: id, comment: comment ?? '' }),
);

const removeFollower = acting(
  'remove_from_followers',
  ['write:follows', 'follow'],
  undefined,
  async (services, viewer, { id }) => {
    const edge = await services.tables.get(following, { account: id, target: viewer });
    if (edge !== undefined) {
      const reply = await services.askAccount(viewer, 'dropFollower', { follower: id, edgeId: edge.edgeId });
      if (isProblem(reply)) return reply;
    }
    const { relations } = answered(await services.askAccount(viewer, 'relations', { targets: [id] }));
    return relations[0] ?? notFound();
  },
);

const endorsing = ['endorse', 'pin'].map((verb) =>
  acting(verb, WRITE, undefined, (services, viewer, { id }) => services.askAccount(viewer, 'endorse', { target: id })),
);
const unendorsing = ['unendorse', 'unpin'].map((verb) =>
  acting(verb, WRITE, undefined, (services, viewer, { id }) =>
    services.askAccount(viewer, 'unendorse', { target: id }),
  ),
);

const ownEndorsements = route({
  method: 'GET',
  path: '/api/v1/endorsements',
  auth: 'user',
  scope: 'read:accounts',
  query: pageQuery(40, 80),
  answer: Type.Array(Account),
  handle: (request) => {
    const { services, viewer = '', query } = request;
    const bounds = pageBounds(query);
    return soon(askSoon(services, viewer, 'endorsements', bounds), (page) =>
      edgeAnswer(request, bounds, answered(page)),
    );
  },
});

const endorsements = route({
  method: 'GET',
  path: '/api/v1/accounts/:id/endorsements',
  auth: 'optional',
  scope: 'read:accounts',
  params: idParams,
  query: pageQuery(40, 80),
  answer: Type.Array(Account),
  handle: async (request) => {
    const { services, viewer, params, query } = request;
    const record = await publishedAccount(services, params.id);
    if (isProblem(record)) return record;
    const bounds = pageBounds(query);
    const isBlocked = viewer !== record.id && (await lensOf(services, viewer)).relation(record.id).blockedBy;
    if (isBlocked || isSuspended(record)) return accountPage(request, bounds, emptyPage);
    const { edges, more } = answered(await services.askAccount(record.id, 'endorsements', bounds));
    const items = edges.map(({ account }) => ({ accountId: account }));
    return accountPage(request, bounds, { items, newest: edges[0]?.edgeId, oldest: edges.at(-1)?.edgeId, more });
  },
});

const familiar = route({
  method: 'GET',
  path: '/api/v1/accounts/familiar_followers',
  auth: 'user',
  scope: 'read:follows',
  query: Type.Object({ id: idsParam() }),
  // Mastodon.py sends a body.
  body: Type.Object({ id: idsParam() }),
  answer: Type.Array(FamiliarFollowers),
  handle: ({ services, viewer = '', query, body }) => {
    const ids = [...(query.id ?? []), ...(body.id ?? [])].slice(0, FAMILIAR_ASKED_MAX).map(storedId);
    return soon(loadAccounts(services, ids), (found) =>
      soon(services.lenses.of(viewer), ({ lens }) =>
        soon(familiarPieces(services, viewer, lens, found.values(), []), (answers) =>
          json(new JsonPieces(arrayOf(answers))),
        ),
      ),
    );
  },
});

const identityProofs = route({
  method: 'GET',
  path: '/api/v1/accounts/:id/identity_proofs',
  auth: 'none',
  params: idParams,
  answer: Type.Array(IdentityProof),
  handle: async ({ services, params }) => {
    const record = await publishedAccount(services, params.id);
    return isProblem(record) ? record : json([]);
  },
});

const followByName = route({
  method: 'POST',
  path: '/api/v1/follows',
  auth: 'user',
  scope: ['write:follows', 'follow'],
  body: Type.Object({ uri: Type.String({ minLength: 1, maxLength: ACCT_CHARS_MAX }) }),
  answer: Account,
  handle: async ({ services, viewer = '', body }) => {
    const id = await findAccount(services, body.uri.trim(), true);
    const target = id === undefined ? notFound() : await publishedAccount(services, id);
    if (isProblem(target)) return target;
    if (isSuspended(target)) return notFound();
    refreshRemote(services, target);
    const command = { target: target.id, targetLocked: target.profile?.locked ?? false };
    const relation = await services.askAccount(viewer, 'follow', command);
    return isProblem(relation) ? relation : json(renderAccount(services.instance, target));
  },
});

/** Notes, endorsements and other relations between accounts, besides follows, blocks and mutes. */
export const peopleRoutes: readonly AnyRoute[] = [
  note,
  removeFollower,
  ...endorsing,
  ...unendorsing,
  ownEndorsements,
  endorsements,
  familiar,
  identityProofs,
  followByName,
];

/** Renders the accounts one after the other, because each takes reads of its own. */
function familiarPieces(
  services: Pick<Services, 'pages' | 'latestRows' | 'tables'>,
  viewer: string,
  lens: Lens,
  records: Iterator<StoreAccountRecord>,
  answers: Uint8Array[][],
): Soon<Uint8Array[][]> {
  for (let next = records.next(); next.done !== true; next = records.next()) {
    const record = next.value;
    const accounts = familiarFollowers(services, viewer, lens, record);
    if (accounts instanceof Promise) {
      return accounts.then((late) => {
        answers.push(familiarOf(services, record, late));
        return familiarPieces(services, viewer, lens, records, answers);
      });
    }
    answers.push(familiarOf(services, record, accounts));
  }
  return answers;
}

const named = new CachedJson<StoreAccountRecord>(({ id }) => ({ id }), 'open');

function familiarOf(
  { pages }: Pick<Services, 'pages'>,
  record: StoreAccountRecord,
  accounts: readonly StoreAccountRecord[],
) {
  const pieces: Uint8Array[] = [named.of(record), ACCOUNTS];
  for (const one of accounts) {
    if (pieces.length > 2) pieces.push(COMMA);
    pieces.push(pages.account(one));
  }
  pieces.push(CLOSE);
  return pieces;
}

function idsParam() {
  return Type.Optional(Type.Array(idText(), { maxItems: FAMILIAR_ASKED_MAX }));
}

function commentText() {
  return Type.Optional(Type.String({ maxLength: PERSONAL_NOTE_CHARS_MAX }));
}
