import type { Answer } from '../../http/route.js';
import { htmlAnswer } from '../page.js';
import { type FieldSchema, Fields, Kind } from '../parts/schema.js';
import type { Reader, Site } from '../site.js';
import type { Texts } from '../texts/index.js';

/** The OpenAPI document, as far as the pages show it. */
export interface Reference {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, FieldSchema>> };
}
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: FieldSchema }>>;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: FieldSchema;
}
interface Operation {
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
  readonly security?: readonly { readonly oauth?: readonly string[] }[];
}
interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const PATH_OF_AREA = /^\/(?:api\/(?:v\w+\/)?)?(\w+)/;

/** Returns the operations of clients by area: the first word of the path after the version. */
export function areasOf({ paths }: Reference): ReadonlyMap<string, readonly Entry[]> {
  const areas = new Map<string, Entry[]>();
  for (const path of Object.keys(paths).sort()) {
    const area = areaOf(path);
    if (area === undefined) continue;
    const entries = areas.get(area) ?? [];
    for (const [method, operation] of Object.entries(paths[path] ?? {}))
      entries.push({ method: method.toUpperCase(), path, operation });
    areas.set(area, entries);
  }
  return areas;
}

/** Returns the area of an operation of clients; undefined for other addresses. */
function areaOf(path: string): string | undefined {
  const area = /^\/(?:api|oauth)\//.test(path) ? PATH_OF_AREA.exec(path)?.[1] : undefined;
  return area === 'docs' ? undefined : area;
}

const anchorOf = (method: string, path: string): string =>
  `${method.toLowerCase()}${path.replaceAll(/\W+/g, '-')}`.replace(/-$/, '');

/** Returns the address of the entry of a route; undefined for a route that is not for clients. */
export function referenceOf({ method, path }: { readonly method: string; readonly path: string }): string | undefined {
  const area = areaOf(path);
  return area === undefined ? undefined : `/api/docs/${area}#${anchorOf(method, path)}`;
}

/** Renders the list of areas and what the statuses of refusals mean. */
export function areasPage(site: Site, reader: Reader, document: Reference): Answer {
  const texts = reader.texts.reference;
  const areas = [...areasOf(document)].sort(([a], [b]) => (a < b ? -1 : 1));
  const body = (
    <>
      <h1>{texts.title}</h1>
      <p>
        {texts.intro} <a href="/api/openapi.json">{texts.document}</a>
      </p>
      <section class="card">
        <h2>{texts.areas}</h2>
        <ul class="areas">
          {areas.map(([area, entries]) => (
            <li key={area}>
              <a href={`/api/docs/${area}`}>{area}</a>{' '}
              <span class="soft small">{texts.operations(entries.length)}</span>
            </li>
          ))}
        </ul>
        <p>
          <a href="/api/docs/entities">{texts.entities}</a>
        </p>
      </section>
      <section class="card">
        <h2>{texts.errors}</h2>
        <p>{texts.errorsText}</p>
        <ul class="fields">
          {refusals(texts).map(([status, meaning]) => (
            <li key={status}>
              <code>{status}</code> {meaning}
            </li>
          ))}
        </ul>
      </section>
    </>
  );
  return htmlAnswer(site, reader, { title: texts.title, width: 'wide', canonical: '/api', cache: 'public' }, body);
}

const refusals = (texts: Texts['reference']): readonly (readonly [number, string])[] => [
  [401, texts.unauthorised],
  [403, texts.forbidden],
  [404, texts.missing],
  [422, texts.invalid],
  [429, texts.limited],
  [503, texts.later],
];

/** Renders the operations of one area. */
export function areaPage(site: Site, reader: Reader, area: string, entries: readonly Entry[]): Answer {
  const texts = reader.texts.reference;
  const body = (
    <>
      <h1>{area}</h1>
      <Back texts={texts} />
      {entries.map((entry) => (
        <OneOperation key={`${entry.method} ${entry.path}`} entry={entry} texts={texts} />
      ))}
    </>
  );
  const canonical = `/api/docs/${area}`;
  return htmlAnswer(site, reader, { title: `${area} – API`, width: 'wide', canonical, cache: 'public' }, body);
}

/** Renders the fields of all entities. */
export function entitiesPage(site: Site, reader: Reader, { components }: Reference): Answer {
  const texts = reader.texts.reference;
  const body = (
    <>
      <h1>{texts.entities}</h1>
      <Back texts={texts} />
      {Object.keys(components.schemas)
        .sort()
        .map((name) => (
          <section key={name} id={name} class="card operation">
            <h2>{name}</h2>
            <Fields schema={components.schemas[name] ?? {}} texts={texts} />
          </section>
        ))}
    </>
  );
  const view = { title: `${texts.entities} – API`, width: 'wide', canonical: '/api/docs/entities' } as const;
  return htmlAnswer(site, reader, { ...view, cache: 'public' }, body);
}

const Back = ({ texts }: { readonly texts: Texts['reference'] }) => (
  <p>
    <a href="/api">{texts.title}</a>
  </p>
);

function OneOperation({ entry, texts }: { readonly entry: Entry; readonly texts: Texts['reference'] }) {
  const { method, path, operation } = entry;
  const { parameters, requestBody, responses, security } = operation;
  const parameterSchema: FieldSchema = {
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  const [status = '200', success] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
  const answer = success?.content?.['application/json']?.schema;
  return (
    <section class="card operation" id={anchorOf(method, path)}>
      <h2>
        <span class="mark">{method}</span> {path}
      </h2>
      <p>
        {texts.scope}: {scopeOf(security, texts)}
      </p>
      {parameters.length > 0 && <h3>{texts.parameters}</h3>}
      {parameters.length > 0 && <Fields schema={parameterSchema} texts={texts} />}
      {body !== undefined && <h3>{texts.body}</h3>}
      {body !== undefined && <Fields schema={body} texts={texts} />}
      <p>
        {texts.answer}: <code>{status}</code>{' '}
        {answer === undefined ? texts.noEntity : <Kind schema={answer} texts={texts} />}
      </p>
      <p class="soft small">
        {texts.errors}: {errorsOf(operation).join(', ')}
      </p>
    </section>
  );
}

function scopeOf(security: Operation['security'], texts: Texts['reference']): string {
  if (security === undefined) return texts.anonymous;
  const named = security.map(({ oauth }) => (oauth === undefined ? texts.optional : oauth[0] || texts.anyToken));
  const [first = '', ...others] = named;
  return [first, ...others.map((one) => (one === texts.optional ? one : `${texts.or} ${one}`))].join(' ');
}

function errorsOf({ parameters, requestBody, security }: Operation): readonly number[] {
  return [
    ...(security === undefined ? [] : [401, 403]),
    ...(parameters.some((one) => one.in === 'path') ? [404] : []),
    ...(parameters.length > 0 || requestBody !== undefined ? [422] : []),
    429,
    503,
  ];
}
