import type { InstanceEntries } from '../settings/entries.js';
import type { InstanceSettings } from '../settings/settings.js';
import type { Language, Texts } from './texts/index.js';

/** Facts about the instance that each page shows. */
export interface Site {
  readonly instance: InstanceSettings;
  /** Title that administrators chose, or the domain. */
  readonly title: string;
  readonly hasTerms: boolean;
  readonly sourceUrl: string;
  readonly canSignUp: boolean;
}

/** The person who reads a page, as far as the page depends on them. */
export interface Reader {
  readonly language: Language;
  readonly texts: Texts;
  /** Present if somebody is signed in with this browser. */
  readonly person?: {
    readonly username: string;
    readonly isModerator: boolean;
    readonly mayInvite: boolean;
    /** Stored name of their role (actors/domain/permissions.ts). */
    readonly role: string;
    /** Value that forms must carry (oauth/session.ts). */
    readonly csrf: string;
  };
  /** Path and query of the page. */
  readonly url: string;
  /** Message above the content: why a form is shown again. */
  readonly fault?: string;
  /** Header `If-None-Match`. */
  readonly ifNoneMatch?: string | undefined;
}

interface Services {
  readonly instance: InstanceSettings;
  readonly entries: Pick<InstanceEntries, 'of'>;
}

/** Facts that were read last, by the settings of the node. Each page that reads them replaces them. */
const latest = new WeakMap<InstanceSettings, Site>();

/** @throws Unavailable when the store cannot answer */
export async function siteOf({ instance, entries }: Services): Promise<Site> {
  const [settings, terms] = await Promise.all([entries.of('settings'), entries.of('terms')]);
  const text = (key: string) => settings.find((one) => one.key === key)?.text?.text;
  const site: Site = {
    instance,
    title: text('title') || instance.domain,
    hasTerms: terms.length > 0,
    sourceUrl: text('source_url') || instance.baseUrl,
    canSignUp: instance.registrations !== 'closed',
  };
  latest.set(instance, site);
  return site;
}

/** Returns the facts without a read of the store, for pages about errors: those that were read last, if any. */
export const plainSite = (instance: InstanceSettings): Site =>
  latest.get(instance) ?? {
    instance,
    title: instance.domain,
    hasTerms: false,
    sourceUrl: instance.baseUrl,
    canSignUp: false,
  };
