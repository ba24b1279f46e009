import type { Answer } from '../../http/route.js';
import { Choice, Csrf, Labelled } from '../parts/form.js';
import type { Reader, Site } from '../site.js';
import { settingsAnswer } from './frame.js';

const EXPORT = '/settings/export';
const IMPORT = '/settings/import';
/** Failed rows that the page names. */
const NAMED_MAX = 100;

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

/** Facts about an import. */
export interface ImportState {
  readonly kind: Kind;
  readonly replaces: boolean;
  readonly fault?: string;
  readonly result?: ImportResult;
}

interface ImportResult {
  readonly done: number;
  readonly removed: number;
  readonly failed: readonly (readonly string[])[];
  /** Rows that are not done yet, as a file, and their number. */
  readonly rest: string;
  readonly left: number;
  readonly isBusy: boolean;
}

/** Renders the form that imports a file, with what the last one did. */
export function importPage(site: Site, reader: Reader, { kind, replaces, fault, result }: ImportState): Answer {
  const { transfer: texts } = reader.texts.settings.data;
  const content = (
    <>
      {result !== undefined && <Result reader={reader} kind={kind} replaces={replaces} result={result} />}
      <p class="soft">{texts.importText}</p>
      {fault !== undefined && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      <form class="card" method="post" action={IMPORT} encType="multipart/form-data">
        <Csrf reader={reader} />
        <Choice name="kind" label={texts.kind} value={kind} options={kindsIn(reader)} />
        <Labelled name="data" label={texts.file}>
          <input id="data" name="data" type="file" accept=".csv,text/csv" required />
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

function Result({
  reader,
  kind,
  replaces,
  result: { done, removed, failed, rest, left, isBusy },
}: Required<Pick<ImportState, 'kind' | 'replaces' | 'result'>> & { readonly reader: Reader }) {
  const { transfer: texts } = reader.texts.settings.data;
  return (
    <div class="card">
      <p role="status">
        {texts.done(done)} {removed > 0 && texts.removed(removed)}
      </p>
      {left > 0 && (
        <form method="post" action={IMPORT} encType="multipart/form-data">
          <Csrf reader={reader} />
          <input type="hidden" name="kind" value={kind} />
          <input type="hidden" name="mode" value={replaces ? 'overwrite' : 'merge'} />
          <input type="hidden" name="rows" value={rest} />
          <p>
            {texts.left(left)} {isBusy && texts.busy}
          </p>
          <button type="submit">{texts.next}</button>
        </form>
      )}
      {failed.length > 0 && (
        <>
          <p>{texts.failed(failed.length)}</p>
          <ul>
            {failed.slice(0, NAMED_MAX).map((cells) => (
              <li key={cells.join()}>
                <bdi>{cells.join(', ')}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
