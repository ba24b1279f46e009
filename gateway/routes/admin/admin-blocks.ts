import { createHash } from 'node:crypto';
import { type Static, type TObject, Type } from '@sinclair/typebox';
import { invalidField, isProblem, type Problem } from '../../../actors/domain/problem.js';
import { DOMAIN_CHARS_MAX, domainName } from '../../../actors/domain/servers/domain-name.js';
import type { InstanceEntry } from '../../../proto/gen/types.js';
import { refusalHistories } from '../../admin-measures/refused-sign-ups.js';
import type { DayUse } from '../../discovery/tag-histories.js';
import { entity, nullable, oneOf, type Shape, time } from '../../http/entity.js';
import { DOMAIN_SHOWN } from '../../http/request/domain-text.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import { canonicalEmailHash, rangeText } from '../../oauth/sign-up-limits.js';
import { CachedJson } from '../../pages/cached-json.js';
import { renderHistory, TagHistory } from '../../pages/status/tag.js';
import { isoTime } from '../../paging/iso-time.js';
import type { EntryContent } from '../../settings/changes.js';
import { each, entryRoutes, type Fresh, type Render } from './admin-entries.js';

/** The REST API's AdminCanonicalEmailBlock. */
export const AdminCanonicalEmailBlock = entity('AdminCanonicalEmailBlock', {
  canonical_email_hash: Type.String(),
  id: Type.String(),
});

/** The REST API's AdminDomainAllow. */
export const AdminDomainAllow = entity('AdminDomainAllow', {
  created_at: time(),
  domain: Type.String(),
  id: Type.String(),
});

/** The REST API's AdminDomainBlock. */
export const AdminDomainBlock = entity('AdminDomainBlock', {
  created_at: time(),
  digest: Type.String(),
  domain: Type.String(),
  id: Type.String(),
  obfuscate: Type.Boolean(),
  reject_media: Type.Boolean(),
  reject_reports: Type.Boolean(),
  severity: oneOf('silence', 'suspend', 'noop'),
  private_comment: Type.Optional(nullable(Type.String())),
  public_comment: Type.Optional(nullable(Type.String())),
});

/** The REST API's AdminEmailDomainBlock. */
export const AdminEmailDomainBlock = entity('AdminEmailDomainBlock', {
  created_at: time(),
  domain: Type.String(),
  history: Type.Array(TagHistory),
  id: Type.String(),
});

/** The REST API's AdminIpBlock. */
export const AdminIpBlock = entity('AdminIpBlock', {
  comment: Type.String(),
  created_at: time(),
  id: Type.String(),
  ip: Type.String(),
  severity: oneOf('sign_up_requires_approval', 'sign_up_block', 'no_access'),
  expires_at: Type.Optional(nullable(time())),
});

const COMMENT_CHARS_MAX = 2_000;
const EMAIL_CHARS_MAX = 254;
const HASH_CHARS = 64;
/** A century: longer blocks are permanent in practice. */
const EXPIRES_SECONDS_MAX = 100 * 366 * 86_400;
const named = ({ id, key, atMs }: InstanceEntry): Shape<typeof AdminDomainAllow> => ({
  id,
  domain: key,
  created_at: isoTime(atMs),
});
const domainText = () => Type.String({ minLength: 1, maxLength: DOMAIN_CHARS_MAX, shown: DOMAIN_SHOWN });
const comment = () => Type.Optional(Type.String({ maxLength: COMMENT_CHARS_MAX }));
const flag = () => Type.Optional(Type.Boolean());

const keyed = ({ domain: text }: { domain: string }): Fresh | Problem => {
  const key = domainName(text);
  return key === undefined ? invalidField('domain', 'Domain') : { key };
};

const limits = {
  severity: Type.Optional(Type.Union([Type.Literal('silence'), Type.Literal('suspend'), Type.Literal('noop')])),
  reject_media: flag(),
  reject_reports: flag(),
  private_comment: comment(),
  public_comment: comment(),
  obfuscate: flag(),
};
type Limits = Static<TObject<typeof limits>>;

const noLimit = {
  severity: 'silence',
  rejectMedia: false,
  rejectReports: false,
  obfuscate: false,
  privateComment: '',
  publicComment: '',
  lists: [],
};

function domainLimit(before: InstanceEntry['domain'], body: Limits): EntryContent {
  const known = before ?? noLimit;
  return {
    domain: {
      severity: body.severity ?? known.severity,
      rejectMedia: body.reject_media ?? known.rejectMedia,
      rejectReports: body.reject_reports ?? known.rejectReports,
      obfuscate: body.obfuscate ?? known.obfuscate,
      privateComment: body.private_comment ?? known.privateComment,
      publicComment: body.public_comment ?? known.publicComment,
      // A limit that a person changes is a decision of this server from then on.
      lists: [],
    },
  };
}

function renderDomainBlock(entry: InstanceEntry): Shape<typeof AdminDomainBlock> {
  const limit = entry.domain ?? noLimit;
  return {
    ...named(entry),
    digest: createHash('sha256').update(entry.key).digest('hex'),
    severity: limit.severity,
    reject_media: limit.rejectMedia,
    reject_reports: limit.rejectReports,
    private_comment: limit.privateComment || null,
    public_comment: limit.publicComment || null,
    obfuscate: limit.obfuscate,
  };
}

const severity = () =>
  Type.Union([Type.Literal('sign_up_requires_approval'), Type.Literal('sign_up_block'), Type.Literal('no_access')]);
const expiry = () => Type.Optional(Type.Integer({ minimum: 0, maximum: EXPIRES_SECONDS_MAX }));
const ADDRESS_CHARS_MAX = 60;
const BYTE = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const BITS = '(?:3[0-2]|[12]?[0-9])';
/** Shape of an IPv4 or IPv6 address or range in the OpenAPI document. */
const ADDRESS_SHOWN = { anyOf: [{ pattern: `^${BYTE}(?:\\.${BYTE}){3}(?:/${BITS})?$` }, { format: 'ipv6' }] };
const addressText = () => Type.String({ minLength: 1, maxLength: ADDRESS_CHARS_MAX, shown: ADDRESS_SHOWN });
const addressFields = { comment: comment(), expires_in: expiry() };

function addressLimit(
  ip: string,
  wanted: { readonly severity: string; readonly comment?: string; readonly expires_in?: number },
  nowMs: number,
  before?: InstanceEntry['address'],
): Fresh | Problem {
  const key = rangeText(ip);
  if (key === undefined) return invalidField('ip', 'Ip');
  const expiresAtMs = wanted.expires_in === undefined ? (before?.expiresAtMs ?? 0) : nowMs + wanted.expires_in * 1_000;
  return { key, address: { severity: wanted.severity, comment: wanted.comment ?? before?.comment ?? '', expiresAtMs } };
}

function renderAddressBlock({ id, key, atMs, address }: InstanceEntry): Shape<typeof AdminIpBlock> {
  const expiresAtMs = address?.expiresAtMs ?? 0;
  return {
    id,
    ip: key,
    severity: address?.severity ?? 'no_access',
    comment: address?.comment ?? '',
    created_at: isoTime(atMs),
    expires_at: expiresAtMs === 0 ? null : isoTime(expiresAtMs),
  };
}

const providers = new CachedJson(named, 'open');
const HISTORY = Buffer.from(',"history":');
const CLOSE = Buffer.from('}');

const renderProviders: Render = async (services, entries) => {
  const counted = await refusalHistories(
    services,
    entries.map(({ key }) => key),
  );
  // Most entries have no refusals and share one history, so its bytes are encoded once.
  const histories = new Map<readonly DayUse[], Uint8Array>();
  return entries.map((entry) => {
    const history = counted.get(entry.key) ?? [];
    let bytes = histories.get(history);
    if (bytes === undefined) {
      bytes = Buffer.from(JSON.stringify(renderHistory(history)));
      histories.set(history, bytes);
    }
    return [providers.of(entry), HISTORY, bytes, CLOSE];
  });
};

const renderHash = ({ id, key }: InstanceEntry): Shape<typeof AdminCanonicalEmailBlock> => ({
  id,
  canonical_email_hash: key,
});

const testEmail = route({
  method: 'POST',
  path: '/api/v1/admin/canonical_email_blocks/test',
  auth: 'user',
  scope: 'admin:read:canonical_email_blocks',
  permission: 'manage_blocks',
  body: Type.Object({ email: Type.String({ minLength: 1, maxLength: EMAIL_CHARS_MAX }) }),
  answer: Type.Array(AdminCanonicalEmailBlock),
  handle: async ({ services, body }) => {
    const hash = canonicalEmailHash(body.email.trim());
    const all = await services.entries.of('canonical_email_blocks');
    return json(all.filter(({ key }) => key === hash).map(renderHash));
  },
});

/** Blocked and allowed domains, addresses and e-mail providers. */
export const adminBlockRoutes: readonly AnyRoute[] = [
  ...entryRoutes({
    collection: 'domain_allows',
    entity: AdminDomainAllow,
    permission: 'manage_federation',
    body: Type.Object({ domain: domainText() }),
    render: each(named),
    make: keyed,
    repeatable: true,
  }),
  ...entryRoutes({
    collection: 'domain_blocks',
    entity: AdminDomainBlock,
    permission: 'manage_federation',
    body: Type.Object({ domain: domainText(), ...limits }),
    render: each(renderDomainBlock),
    make: (body) => {
      const made = keyed(body);
      return isProblem(made) ? made : { ...made, ...domainLimit(undefined, body) };
    },
    change: {
      body: Type.Object(limits),
      make: (before, body) => ({ key: before.key, ...domainLimit(before.domain, body) }),
    },
  }),
  ...entryRoutes({
    collection: 'email_domain_blocks',
    entity: AdminEmailDomainBlock,
    permission: 'manage_blocks',
    body: Type.Object({ domain: domainText() }),
    render: renderProviders,
    make: keyed,
  }),
  ...entryRoutes({
    collection: 'ip_blocks',
    entity: AdminIpBlock,
    permission: 'manage_blocks',
    removedBy: 'admin:write:domain_blocks',
    body: Type.Object({
      ip: addressText(),
      severity: severity(),
      ...addressFields,
    }),
    render: each(renderAddressBlock),
    make: ({ ip, ...wanted }, nowMs) => addressLimit(ip, wanted, nowMs),
    change: {
      body: Type.Object({
        ip: Type.Optional(addressText()),
        severity: Type.Optional(severity()),
        ...addressFields,
      }),
      make: (before, { ip = before.key, ...wanted }, nowMs) => {
        const kept = wanted.severity ?? before.address?.severity ?? 'no_access';
        return addressLimit(ip, { ...wanted, severity: kept }, nowMs, before.address);
      },
    },
  }),
  testEmail,
  ...entryRoutes({
    collection: 'canonical_email_blocks',
    entity: AdminCanonicalEmailBlock,
    permission: 'manage_blocks',
    body: Type.Object(
      {
        email: Type.Optional(Type.String({ maxLength: EMAIL_CHARS_MAX, shown: { pattern: '@' } })),
        canonical_email_hash: Type.Optional(
          Type.String({ maxLength: HASH_CHARS, shown: { pattern: '^[0-9a-f]{64}$' } }),
        ),
      },
      { shown: { anyOf: [{ required: ['email'] }, { required: ['canonical_email_hash'] }] } },
    ),
    render: each(renderHash),
    make: ({ email, canonical_email_hash: hash }) => {
      if (email?.includes('@') === true) return { key: canonicalEmailHash(email.trim()) };
      if (hash !== undefined && /^[0-9a-f]{64}$/i.test(hash)) return { key: hash.toLowerCase() };
      return invalidField('email', 'Email', "can't be blank");
    },
  }),
];
