import { FILTER_ACTIONS, FILTER_CONTEXTS, FILTER_TITLE_CHARS_MAX } from '../../../actors/account/filters.js';
import type { Answer } from '../../http/route.js';
import type { Filter } from '../../pages/account/filter.js';
import { Choice, Csrf, Labelled } from '../parts/form.js';
import { Time } from '../parts/time.js';
import type { Reader, Site } from '../site.js';
import type { Language } from '../texts/index.js';
import { settingsAnswer } from './frame.js';

const PATH = '/settings/filters';
/** Ends that people can choose, in seconds from now. */
const ENDS = [1_800, 3_600, 86_400, 604_800] as const;

/** The fields of the form: stored values, or those that were typed. */
export interface TypedFilter {
  readonly title: string;
  readonly context: readonly string[];
  readonly filter_action: string;
  /** Seconds from now; `never`, or `keep` for the end that is stored. */
  readonly expires: string;
  /** Keywords, one on each line. */
  readonly words: string;
  readonly parts: string;
}

/** Why a form was refused, by name of the field; `base` for the form as a whole. */
export type Faults = Readonly<Record<string, string>>;

/** Renders the list of filters, with the form of a new one. */
export function filtersPage(
  site: Site,
  reader: Reader,
  {
    filters,
    isSaved,
    nowMs,
  }: { readonly filters: readonly Filter[]; readonly isSaved: boolean; readonly nowMs: number },
): Answer {
  const texts = reader.texts.settings.filters;
  const content = (
    <>
      <p class="soft">{texts.intro}</p>
      <p class="actions">
        <a class="button" href={`${PATH}/new`}>
          {texts.create}
        </a>
      </p>
      <h2>{texts.title}</h2>
      {filters.length === 0 && <p class="soft">{texts.none}</p>}
      {filters.length > 0 && (
        <ul class="rows">
          {filters.map((filter) => (
            <Row key={filter.id} filter={filter} reader={reader} language={reader.language} nowMs={nowMs} />
          ))}
        </ul>
      )}
    </>
  );
  return settingsAnswer(site, reader, { title: texts.title, path: PATH, isSaved, isWrong: false }, content);
}

function Row(props: {
  readonly filter: Filter;
  readonly reader: Reader;
  readonly language: Language;
  readonly nowMs: number;
}) {
  const { filter, reader, language, nowMs } = props;
  const texts = reader.texts.settings.filters;
  const { keywords = [], statuses = [], expires_at: end } = filter;
  const facts = [
    texts.actions[filter.filter_action as keyof typeof texts.actions],
    filter.context.map((one) => texts.context[one as keyof typeof texts.context]).join(', '),
    texts.keywords(keywords.length),
    ...(statuses.length > 0 ? [texts.statuses(statuses.length)] : []),
  ];
  return (
    <li>
      <p class="group">
        <a href={`${PATH}/${filter.id}`}>
          <bdi>{filter.title}</bdi>
        </a>
        {end !== null && (
          <span class="mark">
            {Date.parse(end) <= nowMs ? texts.ended : texts.until} <Time iso={end} language={language} />
          </span>
        )}
      </p>
      <p class="soft small">{facts.join(' · ')}</p>
    </li>
  );
}

/** Renders the form of a filter. `id`: the stored filter; undefined: a new one. */
export function filterPage(
  site: Site,
  reader: Reader,
  {
    id,
    typed,
    faults = {},
  }: { readonly id: string | undefined; readonly typed: TypedFilter; readonly faults?: Faults },
): Answer {
  const texts = reader.texts.settings.filters;
  const title = id === undefined ? texts.create : texts.edit;
  const ends = [
    ...(id === undefined ? [] : [['keep', texts.keep] as const]),
    ['never', texts.never] as const,
    ...ENDS.map((seconds) => [String(seconds), texts.after[seconds]] as const),
  ];
  const content = (
    <>
      <form class="card" method="post" action={id === undefined ? PATH : `${PATH}/${id}`}>
        <Csrf reader={reader} />
        {faults.base !== undefined && (
          <p class="fault" role="alert">
            {faults.base}
          </p>
        )}
        <Labelled name="title" label={texts.name} wrong={faults.title}>
          <input
            id="title"
            name="title"
            required
            maxLength={FILTER_TITLE_CHARS_MAX}
            value={typed.title}
            aria-invalid={faults.title !== undefined}
            aria-describedby={faults.title === undefined ? undefined : 'title-wrong'}
          />
        </Labelled>
        <Contexts typed={typed} reader={reader} wrong={faults.context} />
        <Choice
          name="filter_action"
          label={texts.action}
          value={typed.filter_action}
          options={FILTER_ACTIONS.map((one) => [one, texts.actions[one]] as const)}
        />
        <Choice name="expires" label={texts.ends} value={typed.expires} options={ends} />
        <Lines
          name="words"
          label={texts.wholeWords}
          hint={texts.wholeWordsHint}
          text={typed.words}
          wrong={faults.words}
        />
        <Lines name="parts" label={texts.parts} hint={texts.partsHint} text={typed.parts} wrong={faults.parts} />
        <p class="actions">
          <button type="submit">{reader.texts.settings.save}</button>
        </p>
      </form>
      {id !== undefined && (
        <form method="post" action={`${PATH}/${id}/delete`}>
          <Csrf reader={reader} />
          <button type="submit" class="plain danger">
            {texts.remove}
          </button>
        </form>
      )}
    </>
  );
  const isWrong = Object.keys(faults).length > 0;
  return settingsAnswer(site, reader, { title, path: PATH, isSaved: false, isWrong }, content);
}

function Contexts({
  typed,
  reader,
  wrong,
}: {
  readonly typed: TypedFilter;
  readonly reader: Reader;
  readonly wrong: string | undefined;
}) {
  const texts = reader.texts.settings.filters;
  return (
    <fieldset aria-describedby={wrong === undefined ? undefined : 'context-wrong'}>
      <legend>{texts.contexts}</legend>
      {FILTER_CONTEXTS.map((one) => (
        <label key={one} class="check">
          <input type="checkbox" name="context[]" value={one} checked={typed.context.includes(one)} />
          <span>{texts.context[one]}</span>
        </label>
      ))}
      {wrong !== undefined && (
        <span class="wrong" id="context-wrong" role="alert">
          {wrong}
        </span>
      )}
    </fieldset>
  );
}

function Lines(props: {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly text: string;
  readonly wrong: string | undefined;
}) {
  const { name, label, hint, text, wrong } = props;
  return (
    <Labelled name={name} label={label} hint={hint} wrong={wrong}>
      <textarea
        id={name}
        name={name}
        aria-describedby={wrong === undefined ? `${name}-hint` : `${name}-hint ${name}-wrong`}
        aria-invalid={wrong !== undefined}
      >
        {text}
      </textarea>
    </Labelled>
  );
}
