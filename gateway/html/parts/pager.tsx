import type { Texts } from '../texts/index.js';

/** Links to the newer and the older page of a list. */
export function Pager({
  older,
  newer,
  texts,
}: {
  readonly older?: string | undefined;
  readonly newer?: string | undefined;
  readonly texts: Texts;
}) {
  if (older === undefined && newer === undefined) return null;
  return (
    <nav class="pager" aria-label={`${texts.shell.newer}, ${texts.shell.older}`}>
      <span>
        {newer !== undefined && (
          <a rel="prev" href={newer}>
            ← {texts.shell.newer}
          </a>
        )}
      </span>
      <span>
        {older !== undefined && (
          <a rel="next" href={older}>
            {texts.shell.older} →
          </a>
        )}
      </span>
    </nav>
  );
}
