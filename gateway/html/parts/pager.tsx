import type { Texts } from '../texts/index.js';

/** Links of a page to its neighbours, as paths of pages. */
export interface Neighbours {
  readonly newer?: string | undefined;
  readonly older?: string | undefined;
}

/** Links to the newer and the older page of a list. */
export function Pager({ older, newer, texts }: Neighbours & { readonly texts: Texts }) {
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
