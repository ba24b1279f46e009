import { Type } from '@sinclair/typebox';
import { domainsPage, relationsPage } from '../../../html/settings/relation-pages.js';
import { type AnyRoute, redirect } from '../../../http/route.js';
import type { MutedAccount } from '../../../pages/account/account.js';
import { idParams } from '../../../pages/answers.js';
import { pageQuery } from '../../../paging/bounds.js';
import { linksOf } from '../../../paging/links.js';
import { notFound } from '../../../viewing/visible.js';
import { type Personal, personalForm, personalPage } from '../personal.js';

type Own = Personal<unknown, unknown, unknown>;

const DOMAINS = '/settings/domain_blocks';
const DOMAINS_API = '/api/v1/domain_blocks';
/** Bounds the input; the names of servers are shorter. */
const DOMAIN_CHARS_MAX = 2_000;
const UNDONE = { mutes: 'unmute', blocks: 'unblock' } as const;

/** Reads a page of a list of the API, as the query of the page asks for it. */
async function listed<T>({ api, request }: Own, path: string, query = request.url.split('?', 2)[1] ?? '') {
  const { body, link } = await api<T[]>({ method: 'GET', path, query });
  return { items: body, ...linksOf(link, request.url) };
}

const accountsPage = (kind: 'mutes' | 'blocks') =>
  personalPage({ path: `/settings/${kind}`, query: pageQuery() }, async (personal) => {
    const { items, ...links } = await listed<MutedAccount>(personal, `/api/v1/${kind}`);
    return relationsPage(personal.site, personal.reader, { kind, accounts: items, ...links });
  });

const undo = (kind: 'mutes' | 'blocks') =>
  personalForm({ path: `/settings/${kind}/:id/undo`, params: idParams, body: {} }, async ({ api, request }) => {
    const path = `/api/v1/accounts/${request.params.id}/${UNDONE[kind]}`;
    const { status } = await api({ method: 'POST', path });
    return status === 200 ? redirect(`/settings/${kind}`, 303) : notFound();
  });

const domains = personalPage({ path: DOMAINS, query: pageQuery() }, async (personal) => {
  const { items, ...links } = await listed<string>(personal, DOMAINS_API);
  const { domain: typed = '' } = personal.request.refused?.typed ?? {};
  return domainsPage(personal.site, personal.reader, { domains: items, typed, ...links });
});

const domain = () => Type.String({ default: '', maxLength: DOMAIN_CHARS_MAX });

const blockDomain = personalForm({ path: DOMAINS, page: domains, body: { domain: domain() } }, async (personal) => {
  const { domain: typed } = personal.request.body;
  const blocked = await personal.api<{ readonly error?: string }>({
    method: 'POST',
    path: DOMAINS_API,
    body: { domain: typed.trim() },
  });
  if (blocked.status === 200) return redirect(DOMAINS, 303);
  const { items, ...links } = await listed<string>(personal, DOMAINS_API, '');
  return domainsPage(personal.site, personal.reader, { domains: items, typed, wrong: blocked.body.error, ...links });
});

const unblockDomain = personalForm(
  { path: `${DOMAINS}/undo`, page: domains, body: { domain: domain() } },
  async (personal) => {
    const body = { domain: personal.request.body.domain };
    const { status } = await personal.api({ method: 'DELETE', path: DOMAINS_API, body });
    return status === 200 ? redirect(DOMAINS, 303) : notFound();
  },
);

/** Accounts and servers that a person has muted or blocked. */
export const relationPageRoutes: readonly AnyRoute[] = [
  accountsPage('mutes'),
  accountsPage('blocks'),
  undo('mutes'),
  undo('blocks'),
  domains,
  blockDomain,
  unblockDomain,
];
