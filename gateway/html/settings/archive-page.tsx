import type { ArchiveTold } from '../../../proto/gen/types.js';
import type { Answer } from '../../http/route.js';
import { isoTime } from '../../paging/iso-time.js';
import { Csrf } from '../parts/form.js';
import { Time } from '../parts/time.js';
import type { Reader, Site } from '../site.js';
import { settingsAnswer } from './frame.js';

const PATH = '/settings/archive';
const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** Facts about the archive of a person. */
export interface ShownArchive {
  readonly told: ArchiveTold;
  /** Size of a complete archive, in bytes. */
  readonly bytes: number;
  readonly nowMs: number;
  /** Another archive was refused. */
  readonly isRefused: boolean;
}

/** Renders the state of a person's archive, with the form that asks for one. */
export function archivePage(site: Site, reader: Reader, { told, bytes, nowMs, isRefused }: ShownArchive): Answer {
  const { language } = reader;
  const { archive: texts } = reader.texts.settings.data;
  const content = (
    <>
      <p class="soft">{texts.intro}</p>
      {isRefused && (
        <p class="fault" role="alert">
          {texts.refused}
        </p>
      )}
      {told.exists && told.readyMs === 0 && <p role="status">{texts.building}</p>}
      {told.readyMs > 0 && (
        <div class="card">
          <p role="status">{texts.ready}</p>
          <p class="soft">
            {texts.size(sizeIn(language, bytes))} · {texts.until} <Day atMs={told.expiresMs} language={language} />
          </p>
          {told.partial && <p>{texts.partial}</p>}
          <p class="actions">
            <a class="button" href={`${PATH}/download`}>
              {texts.download}
            </a>
          </p>
        </div>
      )}
      {nowMs < told.againMs ? (
        <p class="soft">
          {texts.again} <Day atMs={told.againMs} language={language} />
        </p>
      ) : (
        <form method="post" action={PATH}>
          <Csrf reader={reader} />
          <button type="submit">{texts.request}</button>
        </form>
      )}
    </>
  );
  return settingsAnswer(site, reader, { title: texts.title, path: PATH, isSaved: false, isWrong: isRefused }, content);
}

const Day = ({ atMs, language }: { readonly atMs: number; readonly language: Reader['language'] }) => (
  <Time iso={isoTime(atMs)} language={language} />
);

/** Returns a size with a unit in which it has at most four digits. */
function sizeIn(language: string, bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes === 0 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const unit = UNITS[power] ?? 'byte';
  const form = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(language, form).format(bytes / 1_000 ** power);
}
