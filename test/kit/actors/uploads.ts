import type { MediaFiles } from '../../../actors/reactions/media.js';
import { systemClock, systemRandom } from '../../../actors/runtime/system.js';
import { Workshop } from '../../../media/workshop.js';
import { ParserPool } from '../../../parsers/parser-pool.js';
import { TableMedia } from '../../../store/media/table-media.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import type { Tables } from '../../../store/port.js';

/** Where nobody uploads anything. */
export const noUploads: MediaFiles = { finish: async (media) => media, remove: async () => undefined };

let pool: ParserPool | undefined;

/** The parsers of a test process. They say nothing: what they refuse is what tests are about. */
export function parsers(): ParserPool {
  pool ??= new ParserPool({ warn: () => undefined });
  return pool;
}

/** A media store, and who works on what comes into it, in memory. */
export function uploadsIn(tables: Tables = new MemoryTables()) {
  const media = new TableMedia(tables, systemClock);
  return { media, workshop: new Workshop(media, systemRandom, parsers()) };
}
