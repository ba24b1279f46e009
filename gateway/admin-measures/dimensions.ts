import { isProblem, type Problem } from '../../actors/domain/problem.js';
import { languageName } from '../../actors/domain/text/language.js';
import { apps } from '../../store/tables.js';
import type { Services } from '../http/services.js';
import { notFound } from '../viewing/visible.js';
import { type Subjects, summed } from './measures.js';
import { newcomers, recordsOf } from './newcomers.js';
import { countedDays, type Period } from './period.js';
import { activeAccounts, statisticsOf } from './statistics.js';
import { languagesOf, tagNamed, tagUses } from './tag-uses.js';

/** Applications whose names are looked up for the sources of sign-ups. */
const APPS_MAX = 100;

interface Datum {
  readonly key: string;
  readonly human_key: string;
  readonly value: string;
  readonly human_value?: string;
}

interface Wanted {
  readonly services: Services;
  readonly period: Period;
  readonly limit: number;
  readonly subject: string;
}

type Find = (wanted: Wanted) => Promise<readonly Datum[] | Problem>;
const nothing: Find = async () => [];

/** Dimensions by key. Those about other servers and storage space are empty. */
const KINDS: Readonly<Record<string, Find>> = {
  languages,
  sources,
  servers,
  space_usage: nothing,
  software_versions: async ({ services }) => [
    version('murmuration', 'Murmuration', services.instance.version),
    version('node', 'Node.js', process.versions.node),
  ],
  tag_servers: async (wanted) => {
    const uses = await usesOf(wanted);
    if (isProblem(uses)) return uses;
    return ranked(
      uses.map(() => wanted.services.instance.domain),
      wanted.limit,
    );
  },
  tag_languages: async (wanted) => {
    const uses = await usesOf(wanted);
    if (isProblem(uses)) return uses;
    return ranked(await languagesOf(wanted.services, uses), wanted.limit, languageName);
  },
  instance_accounts: nothing,
  instance_languages: nothing,
};
const WITH_SUBJECT = /^(?:tag|instance)_/;

/** Keys of all dimensions. */
export const DIMENSIONS = Object.keys(KINDS);

/** Returns one dimension for clients; undefined if the key is unknown or its subject is missing. */
export async function dimension(
  services: Services,
  key: string,
  asked: { readonly period: Period; readonly limit: number },
  subjects: Subjects,
) {
  const find = Object.hasOwn(KINDS, key) ? KINDS[key] : undefined;
  const subject = subjects[key];
  if (find === undefined || (WITH_SUBJECT.test(key) && subject === undefined)) return undefined;
  const period = countedDays(asked.period, services.clock.nowMs());
  const data = await find({ services, period, limit: asked.limit, subject: subject ?? '' });
  return isProblem(data) ? data : { key, data };
}

/** Returns the languages of accounts that posted. */
async function languages({ services, period, limit }: Wanted) {
  const records = await recordsOf(services, await activeAccounts(services, period.first, period.last));
  const locales = records.flatMap(({ locale }) => (locale === '' ? [] : [locale]));
  return ranked(locales, limit, languageName);
}

/** Returns the applications with which people signed up. */
async function sources({ services, period, limit }: Wanted) {
  const used: string[] = [];
  for await (const { clientId } of newcomers(services, period)) used.push(clientId ?? '');
  const clients = [...new Set(used)].filter((client) => client !== '').slice(0, APPS_MAX);
  const found = await services.tables.getMany(
    apps,
    clients.map((client) => ({ client })),
  );
  const names = new Map(clients.map((client, index) => [client, found[index]?.name]));
  return ranked(
    used.map((client) => names.get(client) ?? 'web'),
    limit,
    (name) => (name === 'web' ? 'Website' : name),
  );
}

/** Returns the number of statuses by server; all are local. */
async function servers({ services, period }: Wanted) {
  const { days } = await statisticsOf(services);
  const { domain } = services.instance;
  const said = summed((day) => days.get(day)?.statuses)(period);
  return said === 0 ? [] : [{ key: domain, human_key: domain, value: String(said) }];
}

async function usesOf({ services, period, subject }: Wanted) {
  const tag = await tagNamed(services, subject);
  return tag === undefined ? notFound() : tagUses(services, tag, period);
}

const version = (key: string, name: string, value: string): Datum => ({
  key,
  human_key: name,
  value,
  human_value: value,
});

/** Counts the names, most frequent first. */
function ranked(names: readonly string[], limit: number, human = (name: string) => name): Datum[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, limit)
    .map(([key, count]) => ({ key, human_key: human(key), value: String(count) }));
}
