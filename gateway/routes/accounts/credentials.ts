import { type Static, Type } from '@sinclair/typebox';
import { isProblem, type Problem, problem } from '../../../actors/domain/problem.js';
import { DOMAIN_CHARS_MAX } from '../../../actors/domain/servers/domain-name.js';
import type { AccountUpdateProfile, StoreAccountRecord } from '../../../proto/gen/types.js';
import { accounts } from '../../../store/tables.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type Answer, type AnyRoute, JsonText, json, type Request, route, uploaded } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { CredentialAccount, renderCredentialAccount } from '../../pages/account/account.js';
import { targetsOf, withMove } from '../../pages/account/moved.js';
import { type Soon, soon } from '../../paging/soon.js';
import { PICTURES_BYTES_MAX, removePicture, updateProfile } from './profile-pictures.js';

/** Bounds the input; the account's own rules enforce shorter lengths. */
const TEXT_CHARS_MAX = 20_000;
const FIELDS_READ_MAX = 20;
const ATTRIBUTION_DOMAINS_READ_MAX = 200;
const text = (maxLength = TEXT_CHARS_MAX) => Type.Optional(Type.String({ maxLength }));
const flag = () => Type.Optional(Type.Boolean());

const fields = {
  avatar: Type.Optional(uploaded()),
  header: Type.Optional(uploaded()),
  avatar_description: text(),
  header_description: text(),
  display_name: text(),
  note: text(),
  locked: flag(),
  bot: flag(),
  discoverable: flag(),
  indexable: flag(),
  hide_collections: flag(),
  fields_attributes: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String({ default: '', maxLength: TEXT_CHARS_MAX }),
        value: Type.String({ default: '', maxLength: TEXT_CHARS_MAX }),
      }),
      { maxItems: FIELDS_READ_MAX },
    ),
  ),
  attribution_domains: Type.Optional(
    Type.Array(Type.String({ maxLength: DOMAIN_CHARS_MAX }), { maxItems: ATTRIBUTION_DOMAINS_READ_MAX }),
  ),
};
const Changes = Type.Object({
  ...fields,
  source: Type.Optional(
    Type.Object({ privacy: text(20), sensitive: flag(), language: text(20), quote_policy: text(20) }),
  ),
});
type Changes = Static<typeof Changes>;

/** Fields of the profile that its owner edits, and the sections that its page shows. */
export const ProfileChanges = Type.Object({
  ...fields,
  show_media: flag(),
  show_media_replies: flag(),
  show_featured: flag(),
});

/**
 * Rendered accounts by stored record. The store returns the same object while the record is unchanged. One process runs
 * one server, so the instance settings are constant.
 */
const rendered = new WeakMap<StoreAccountRecord, JsonText>();

type Own = Soon<Answer<JsonText | JsonPieces> | Problem>;

function own(services: Pick<Services, 'instance' | 'tables' | 'limits' | 'pages'>, viewer: string): Own {
  const key = { account: viewer };
  const held = services.tables.peek?.(accounts, key);
  return soon(held ?? services.tables.get(accounts, key), (record): Own => {
    if (record === undefined) return problem('not_found', 'Record not found');
    const text = shown(services, record);
    if (record.movedTo === undefined) return json(text);
    return soon(targetsOf(services, [record]), (targets) =>
      json(new JsonPieces(withMove(services.pages, [Buffer.from(text.text)], record, targets))),
    );
  });
}

function shown(services: Pick<Services, 'instance'>, record: StoreAccountRecord): JsonText {
  let text = rendered.get(record);
  if (text === undefined) {
    text = new JsonText(Buffer.from(JSON.stringify(renderCredentialAccount(services.instance, record))));
    rendered.set(record, text);
  }
  return text;
}

const verify = route({
  method: 'GET',
  path: '/api/v1/accounts/verify_credentials',
  auth: 'unconfirmed',
  scope: ['read:accounts', 'profile'],
  answer: CredentialAccount,
  handle: ({ services, viewer = '' }) => own(services, viewer),
});

async function update({ services, viewer = '', body }: Request<unknown, unknown, Changes>) {
  const updated = await updateProfile(services, viewer, body, commandOf(body));
  return isProblem(updated) ? updated : own(services, viewer);
}

function commandOf({ source, ...body }: Changes): AccountUpdateProfile {
  return {
    ...profileCommand(body),
    privacy: source?.privacy,
    sensitive: source?.sensitive,
    language: source?.language,
    quotePolicy: source?.quote_policy,
  };
}

const not = (shown: boolean | undefined) => (shown === undefined ? undefined : !shown);

/** Converts the fields to the actor's command. */
export function profileCommand({
  fields_attributes: fields,
  ...body
}: Static<typeof ProfileChanges>): AccountUpdateProfile {
  return {
    displayName: body.display_name,
    note: body.note,
    locked: body.locked,
    bot: body.bot,
    discoverable: body.discoverable,
    indexable: body.indexable,
    hideCollections: body.hide_collections,
    fields: fields ?? [],
    setFields: fields !== undefined,
    attribution: body.attribution_domains === undefined ? undefined : { domains: body.attribution_domains },
    avatarDescription: body.avatar_description,
    headerDescription: body.header_description,
    hideMedia: not(body.show_media),
    hideMediaReplies: not(body.show_media_replies),
    hideFeatured: not(body.show_featured),
  };
}

const shape = {
  path: '/api/v1/accounts/update_credentials',
  auth: 'user',
  scope: 'write:accounts',
  body: Changes,
  multipartBytesMax: PICTURES_BYTES_MAX,
  answer: CredentialAccount,
  handle: update,
} as const;

export const credentialRoutes: readonly AnyRoute[] = [
  verify,
  route({ method: 'PATCH', ...shape }),
  route({ method: 'PUT', ...shape }),
  withoutPicture('avatar'),
  withoutPicture('header'),
];

/** Route that removes a picture and answers with the whole account, as an update does. */
function withoutPicture(which: 'avatar' | 'header'): AnyRoute {
  return route({
    method: 'DELETE',
    path: `/api/v1/profile/${which}`,
    auth: 'user',
    scope: 'write:accounts',
    answer: CredentialAccount,
    handle: async ({ services, viewer = '' }) => {
      const updated = await removePicture(services, viewer, which);
      return isProblem(updated) ? updated : own(services, viewer);
    },
  });
}
