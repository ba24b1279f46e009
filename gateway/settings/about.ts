import type { InstanceEntry, StoreAccountRecord } from '../../proto/gen/types.js';
import { accounts } from '../../store/tables.js';
import { statisticsOf, type Totals } from '../admin-measures/statistics.js';
import type { Services } from '../http/services.js';

/** Information about the instance: texts of its administrators, and statistics. */
export interface About {
  readonly title: string;
  readonly shortDescription: string;
  readonly description: string;
  /** Empty until an administrator sets it. */
  readonly contactEmail: string;
  readonly contact: StoreAccountRecord | undefined;
  readonly sourceUrl: string;
  readonly registrationsMessage: string | undefined;
  readonly statusPage: string | undefined;
  readonly languages: readonly string[];
  readonly rules: readonly InstanceEntry[];
  readonly hasTerms: boolean;
  readonly totals: Totals;
}

const DESCRIPTION = 'A Murmuration server.';

/** Settings that can be changed at run time, each with its purpose. */
export const SETTINGS: Readonly<Record<string, string>> = {
  title: 'name of the instance',
  short_description: 'one or two sentences',
  description: 'a longer description',
  contact_email: 'e-mail address of the operator',
  contact_username: 'username of the account to contact',
  source_url: 'address of the source code of this server',
  registrations_message: 'text that people read if they cannot sign up',
  status_url: 'address of a status page',
  languages: 'ISO 639 codes, separated by commas',
  extended_description: 'text of the page about the instance',
  privacy_policy: 'the privacy policy',
  trends_review: 'on: a trend is shown only after a moderator has approved it',
  rate_limits: 'rate limits: on, off, or JSON, {"token":{"limit":300,"seconds":300}}',
};

/** Loads the information. @throws Unavailable when the store cannot answer */
export async function aboutOf(
  services: Pick<Services, 'entries' | 'askInstance' | 'registry' | 'instance' | 'tables' | 'clock'>,
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
  };
}
