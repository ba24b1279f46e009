import type { Problem } from '../../../actors/domain/problem.js';
import { aboutPage, type Blocked, type Front, frontPage, policyPage } from '../../html/pages/front-page.js';
import { type Site, siteOf } from '../../html/site.js';
import { type Answer, type AnyRoute, type Request, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import type { Account } from '../../pages/account/account.js';
import type { PageBounds } from '../../paging/bounds.js';
import { publicTimeline } from '../../timelines/public.js';
import { notFound } from '../../viewing/visible.js';
import { aboutOf } from '../instance/about.js';
import { termsThatHold } from '../instance/instance.js';
import { apiPerson } from './personal.js';
import { readerOf } from './reader.js';

type Asked = Request<unknown, unknown, unknown>;

const LATEST: PageBounds = { before: undefined, after: undefined, upwards: false, limit: 5 };

async function frontOf(services: Services, withLatest: boolean): Promise<Front> {
  const [about, extended] = await Promise.all([aboutOf(services), textOf(services, 'extended_description')]);
  const page = withLatest ? await publicTimeline(services, undefined, LATEST, 'local') : { items: [] };
  const { contact } = about;
  return {
    description: about.description,
    extended,
    contact: contact && (JSON.parse(Buffer.from(services.pages.account(contact)).toString()) as Account),
    contactEmail: about.contactEmail,
    rules: about.rules.map(({ text }) => ({ text: text?.text ?? '', hint: text?.hint ?? '' })),
    users: about.totals.users,
    statuses: about.totals.statuses,
    activeMonth: about.totals.activeMonth,
    servers: about.servers,
    registrations: services.instance.registrations,
    registrationsMessage: about.registrationsMessage,
    latest: await services.pages.pieces(services, undefined, page.items),
  };
}

async function textOf({ entries }: Pick<Services, 'entries'>, setting: string): Promise<string> {
  return (await entries.setting(setting))?.text?.text ?? '';
}

/** Declares a public page. */
const show = (
  path: string,
  page: (request: Asked, site: Site, reader: Awaited<ReturnType<typeof readerOf>>) => Promise<Answer | Problem>,
): AnyRoute =>
  route({
    method: 'GET',
    path,
    auth: 'none',
    handle: async (request) => page(request, await siteOf(request.services), await readerOf(request)),
  });

/** Pages about the instance. Clients show `/about` before a sign-up. */
export const frontPageRoutes: readonly AnyRoute[] = [
  show('/', async ({ services }, site, reader) => frontPage(site, reader, await frontOf(services, true))),
  show('/about', async ({ services, api }, site, reader) => {
    const person = reader.session && apiPerson(reader.session);
    const { status, body } = await api<Blocked[]>(person, { method: 'GET', path: '/api/v1/instance/domain_blocks' });
    const blocks = status === 200 ? body : status === 401 ? 'for users' : undefined;
    return aboutPage(site, reader, await frontOf(services, false), blocks);
  }),
  show('/privacy-policy', async ({ services }, site, reader) => {
    const text = await textOf(services, 'privacy_policy');
    return policyPage(site, reader, reader.texts.shell.privacy, text, '/privacy-policy');
  }),
  show('/terms-of-service', async ({ services }, site, reader) => {
    const entry = await termsThatHold(services);
    if (entry === undefined) return notFound();
    return policyPage(site, reader, reader.texts.shell.terms, entry.text?.text ?? '', '/terms-of-service');
  }),
];
