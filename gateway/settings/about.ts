import type { InstanceEntry, StoreAccountRecord } from '../../proto/gen/types.js';
import { accounts } from '../../store/tables.js';
import { statisticsOf, type Totals } from '../admin-measures/statistics.js';
import type { Services } from '../http/services.js';

/** What the instance's people say of it, and what can be counted. */
export interface About {
  readonly title: string;
  readonly shortDescription: string;
  readonly description: string;
  /** Empty until somebody sets it. */
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

/** Settings that can be changed while the instance runs, each with what it is for. */
export const SETTINGS: Readonly<Record<string, string>> = {
  title: 'the name of the instance',
  short_description: 'one or two sentences',
  description: 'some more',
  contact_email: 'where people write to',
  contact_username: 'the account to ask',
  source_url: 'where the source of this server is offered',
  registrations_message: 'what people read where they cannot sign up',
  status_url: 'a page that says whether the instance is well',
  languages: 'ISO 639 codes with commas between',
  extended_description: 'what the page about the instance says',
  privacy_policy: 'the privacy policy',
  trends_review: 'on: nothing is shown among what trends before a moderator has approved it',
  rate_limits: 'how often may be asked for what: on, off, or JSON, {"token":{"limit":300,"seconds":300}}',
};

/** @throws Unavailable when the store cannot answer */
export async function aboutOf(services: Services): Promise<About> {
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
    // Where the operator offers the source is theirs to say; the server itself stands for it until then.
    sourceUrl: settings.get('source_url') || instance.baseUrl,
    registrationsMessage: settings.get('registrations_message'),
    statusPage: settings.get('status_url'),
    languages: (settings.get('languages') || 'en').split(',').map((code) => code.trim()),
    rules: await entries.of('rules'),
    hasTerms: (await entries.of('terms')).length > 0,
    totals: await statisticsOf(services),
  };
}
