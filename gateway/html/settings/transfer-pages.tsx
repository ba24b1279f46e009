import { isRunning } from '../../../actors/imports/imports.js';
import type { ImportsJob } from '../../../proto/gen/types.js';
import type { Answer } from '../../http/route.js';
import { Choice, Csrf, Labelled } from '../parts/form.js';
import type { Reader, Site } from '../site.js';
import { settingsAnswer } from './frame.js';

const EXPORT = '/settings/export';
const IMPORT = '/settings/import';
type Kind = keyof Reader['texts']['settings']['data']['transfer']['kinds'];

const kindsIn = ({ texts }: Reader) => Object.entries(texts.settings.data.transfer.kinds) as [Kind, string][];

/** Renders links to the lists of a person as files. */
export function exportPage(site: Site, reader: Reader): Answer {
  const { transfer: texts } = reader.texts.settings.data;
  const content = (
    <>
      <p class="soft">{texts.exportText}</p>
      <ul class="rows">
        {kindsIn(reader).map(([kind, name]) => (
          <li key={kind}>
            <p class="group">
              {name}
              <a class="button plain" href={`/settings/exports/${kind}.csv`}>
                {kind}.csv
              </a>
            </p>
          </li>
        ))}
      </ul>
    </>
  );
  return settingsAnswer(site, reader, { title: texts.export, path: EXPORT, isSaved: false, isWrong: false }, content);
}

/** Facts about imports, and what was entered in the form of a new one. */
export interface ImportState {
  readonly kind: Kind;
  readonly replaces: boolean;
  /** Message at the field of the file. */
  readonly fault?: string;
  /** The last import of each list. */
  readonly jobs: readonly ImportsJob[];
  readonly nowMs: number;
}

/** Renders the imports of a person with their progress, and the form that begins one. */
export function importPage(site: Site, reader: Reader, { kind, replaces, fault, jobs, nowMs }: ImportState): Answer {
  const { transfer: texts } = reader.texts.settings.data;
  const content = (
    <>
      {jobs.map((job) => (
        <Job key={job.kind} reader={reader} job={job} nowMs={nowMs} />
      ))}
      <p class="soft">{texts.importText}</p>
      <form class="card" method="post" action={IMPORT} encType="multipart/form-data">
        <Csrf reader={reader} />
        <Choice name="kind" label={texts.kind} value={kind} options={kindsIn(reader)} />
        <Labelled name="data" label={texts.file} wrong={fault}>
          <input
            id="data"
            name="data"
            type="file"
            accept=".csv,text/csv"
            required
            aria-invalid={fault !== undefined}
            aria-describedby={fault === undefined ? undefined : 'data-wrong'}
          />
        </Labelled>
        <Choice
          name="mode"
          label={texts.mode}
          value={replaces ? 'overwrite' : 'merge'}
          options={[
            ['merge', texts.merge],
            ['overwrite', texts.overwrite],
          ]}
        />
        <p class="actions">
          <button type="submit">{texts.start}</button>
        </p>
      </form>
    </>
  );
  const isWrong = fault !== undefined;
  return settingsAnswer(site, reader, { title: texts.import, path: IMPORT, isSaved: false, isWrong }, content);
}

function Job({ reader, job, nowMs }: { readonly reader: Reader; readonly job: ImportsJob; readonly nowMs: number }) {
  const { transfer: texts } = reader.texts.settings.data;
  const { kind, file, rows, place, failed, removed, how, pausedUntilMs } = job;
  const isPaused = isRunning(job) && pausedUntilMs > nowMs;
  const state = isRunning(job) ? 'running' : how;
  return (
    <div class="card">
      <h2>{texts.kinds[kind as Kind]}</h2>
      <p role="status">
        {(texts.states as Readonly<Record<string, string>>)[state]} {texts.done(place - failed.length)}{' '}
        {removed > 0 && texts.removed(removed)} {place < rows && texts.left(rows - place)}
      </p>
      {isPaused && <p class="soft">{texts.paused}</p>}
      {failed.length > 0 && (
        <p>
          {texts.failed(failed.length)} <a href={`/settings/imports/${kind}.csv`}>{texts.failures}</a>
        </p>
      )}
      {isRunning(job) && (
        <form method="post" action={`${IMPORT}/cancel`}>
          <Csrf reader={reader} />
          <input type="hidden" name="file" value={file} />
          <p class="soft">{texts.close}</p>
          <button type="submit" class="plain">
            {texts.cancel}
          </button>
        </form>
      )}
    </div>
  );
}
