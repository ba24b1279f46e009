import { accounts } from '../../../store/tables.js';
import { statisticsOf } from '../../admin-measures/statistics.js';
import type { Services } from '../../http/services.js';
import type { About } from '../../pages/instance/about.js';

const DESCRIPTION = 'A Murmuration server.';

/** Loads the information. @throws Unavailable when the store cannot answer */
export async function aboutOf(
  services: Pick<Services, 'entries' | 'askInstance' | 'registry' | 'instance' | 'tables' | 'clock' | 'knownServers'>,
): Promise<About> {
  const { instance, entries, tables, registry } = services;
  const settings = new Map((await entries.of('settings')).map(({ key, text }) => [key, text?.text ?? '']));
  const contactName = settings.get('contact_username')?.replace(/^@/, '').toLowerCase();
  const contactId = contactName ? await registry.find(`acct:${contactName}`) : undefined;
  const description = settings.get('description') ?? settings.get('short_description') ?? DESCRIPTION;
  return {
    title: settings.get('title') || instance.domain,
    shortDescription: settings.get('short_description') ?? description,
    description,
    contactEmail: settings.get('contact_email') ?? '',
    contact: contactId === undefined ? undefined : await tables.get(accounts, { account: contactId }),
    // The operator decides where to offer the source. Until it is set, the server's own address takes its place.
    sourceUrl: settings.get('source_url') || instance.baseUrl,
    registrationsMessage: settings.get('registrations_message'),
    statusPage: settings.get('status_url'),
    languages: (settings.get('languages') || 'en').split(',').map((code) => code.trim()),
    rules: await entries.of('rules'),
    hasTerms: (await entries.of('terms')).length > 0,
    totals: await statisticsOf(services),
    servers: await services.knownServers.count(),
  };
}
