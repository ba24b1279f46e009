import type { Static } from '@sinclair/typebox';
import { optionText, type TypedEntry } from '../../../html/moderation/entry-fields.js';
import type { AnyRoute } from '../../../http/route.js';
import type {
  AdminCanonicalEmailBlock,
  AdminDomainAllow,
  AdminDomainBlock,
  AdminEmailDomainBlock,
  AdminIpBlock,
} from '../../admin/admin-blocks.js';
import { domainFileRoutes } from './domain-files.js';
import { type EntryPages, entryPages, ofApi } from './entries.js';

const API = '/api/v1/admin';
const COMMENT_CHARS_MAX = 2_000;

const domainBlocks: EntryPages<Static<typeof AdminDomainBlock>> = {
  ...{ collection: 'domain_blocks', permission: 'manage_federation', isShared: true },
  fields: [
    { name: 'domain', kind: 'line', isRequired: true, isFixed: true },
    { name: 'severity', kind: 'choice', options: ['silence', 'suspend', 'noop'] },
    { name: 'reject_media', kind: 'tick' },
    { name: 'reject_reports', kind: 'tick' },
    { name: 'obfuscate', kind: 'tick' },
    { name: 'public_comment', kind: 'area', maxLength: COMMENT_CHARS_MAX },
    { name: 'private_comment', kind: 'area', maxLength: COMMENT_CHARS_MAX },
  ],
  source: ofApi(`${API}/domain_blocks`, trimmed),
  rowOf: (block, texts) => ({
    ...{ id: block.id, name: block.domain, since: block.created_at },
    marks: [
      optionText(texts, block.severity),
      ...(['reject_media', 'reject_reports', 'obfuscate'] as const).flatMap((flag) =>
        block[flag] ? [texts.fields[flag]] : [],
      ),
    ],
    texts: [block.public_comment, block.private_comment].flatMap((text) => text ?? []),
  }),
  typedOf: ({ severity, reject_media, reject_reports, obfuscate, public_comment, private_comment }) => ({
    ...{ severity, reject_media, reject_reports, obfuscate },
    ...{ public_comment: public_comment ?? '', private_comment: private_comment ?? '' },
  }),
};

const domainAllows: EntryPages<Static<typeof AdminDomainAllow>> = {
  ...{ collection: 'domain_allows', permission: 'manage_federation', isShared: true },
  fields: [{ name: 'domain', kind: 'line', isRequired: true }],
  source: ofApi(`${API}/domain_allows`, trimmed),
  rowOf: ({ id, domain, created_at }) => ({ id, name: domain, since: created_at }),
};

const emailDomainBlocks: EntryPages<Static<typeof AdminEmailDomainBlock>> = {
  ...{ collection: 'email_domain_blocks', permission: 'manage_blocks' },
  fields: [{ name: 'domain', kind: 'line', isRequired: true }],
  source: ofApi(`${API}/email_domain_blocks`, trimmed),
  rowOf: ({ id, domain, created_at, history }, texts) => ({
    ...{ id, name: domain, since: created_at },
    marks: [texts.refusals(history.reduce((sum, { uses }) => sum + Number(uses), 0))],
  }),
};

const canonicalEmailBlocks: EntryPages<Static<typeof AdminCanonicalEmailBlock>> = {
  ...{ collection: 'canonical_email_blocks', permission: 'manage_blocks' },
  fields: [
    { name: 'email', kind: 'line' },
    { name: 'canonical_email_hash', kind: 'line' },
  ],
  source: ofApi(`${API}/canonical_email_blocks`, trimmed),
  rowOf: ({ id, canonical_email_hash: name }) => ({ id, name }),
};

const ipBlocks: EntryPages<Static<typeof AdminIpBlock>> = {
  ...{ collection: 'ip_blocks', permission: 'manage_blocks' },
  fields: [
    { name: 'ip', kind: 'line', isRequired: true, isFixed: true },
    { name: 'severity', kind: 'choice', options: ['sign_up_requires_approval', 'sign_up_block', 'no_access'] },
    { name: 'expires_in', kind: 'ends' },
    { name: 'comment', kind: 'area', maxLength: COMMENT_CHARS_MAX },
  ],
  source: ofApi(`${API}/ip_blocks`, ({ expires_in: end = '', ...typed }) => ({
    ...trimmed(typed),
    ...(end !== '' && end !== 'never' && end !== 'keep' && { expires_in: end }),
  })),
  rowOf: ({ id, ip, severity, comment, created_at, expires_at }, texts) => ({
    ...{ id, name: ip, since: created_at, until: expires_at },
    marks: [optionText(texts, severity)],
    texts: comment === '' ? [] : [comment],
  }),
  typedOf: ({ severity, comment }) => ({ severity, comment, expires_in: 'keep' }),
};

function trimmed(typed: TypedEntry): object {
  return Object.fromEntries(
    Object.entries(typed).map(([name, value]) => [name, typeof value === 'string' ? value.trim() : value]),
  );
}

const blockPages = entryPages(domainBlocks);
const allowPages = entryPages(domainAllows);

/** Pages of blocked and allowed servers, and of sign-ups that are blocked. */
export const blockPageRoutes: readonly AnyRoute[] = [
  ...domainFileRoutes(domainBlocks, blockPages[0]),
  ...blockPages,
  ...domainFileRoutes(domainAllows, allowPages[0]),
  ...allowPages,
  ...entryPages(emailDomainBlocks),
  ...entryPages(canonicalEmailBlocks),
  ...entryPages(ipBlocks),
];
