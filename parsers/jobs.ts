import { cut, type Picture, previewOf, type Shown, showable, small } from '../media/images.js';
import type { Format } from '../media/sniff.js';
import { type Excerpt, type Probed, probe } from '../media/sounds-and-films.js';
import { type PageFacts, readPage, saysMe } from '../transport/web/page-facts.js';

/** The parsers of bytes from strangers, by name. Input and output are copied between processes. */
export interface Jobs {
  showable: { in: { bytes: Uint8Array; format: Format }; out: Shown | undefined };
  cut: { in: { bytes: Uint8Array; width: number; height: number }; out: Picture | undefined };
  small: { in: { bytes: Uint8Array; side: number }; out: Picture | undefined };
  previewOf: { in: { bytes: Uint8Array }; out: Pick<Shown, 'preview' | 'blurhash'> | undefined };
  probe: { in: { excerpt: Excerpt }; out: Probed | undefined };
  readPage: { in: { bytes: Uint8Array; type: string }; out: PageFacts };
  saysMe: { in: { bytes: Uint8Array; type: string; address: string }; out: boolean };
}

export const JOBS: { [J in keyof Jobs]: (input: Jobs[J]['in']) => Promise<Jobs[J]['out']> } = {
  showable: ({ bytes, format }) => showable(bytes, format),
  cut: ({ bytes, width, height }) => cut(bytes, width, height),
  small: ({ bytes, side }) => small(bytes, side),
  previewOf: ({ bytes }) => previewOf(bytes),
  probe: ({ excerpt }) => probe(excerpt),
  readPage: ({ bytes, type }) => readPage(bytes, type),
  saysMe: ({ bytes, type, address }) => saysMe(bytes, type, address),
};
