import { systemClock, systemRandom } from '../../../actors/runtime/system.js';
import { Workshop } from '../../../media/workshop.js';
import { ParserPool } from '../../../parsers/parser-pool.js';
import { TableMedia } from '../../../store/media/table-media.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import type { Tables } from '../../../store/port.js';

let pool: ParserPool | undefined;

/** Returns the parsers of a test process. They do not log: tests check what they reject. */
export function parsers(): ParserPool {
  pool ??= new ParserPool({ warn: () => undefined });
  return pool;
}

/** Creates a media store in memory, and the workshop for its uploads. */
export function uploadsIn(tables: Tables = new MemoryTables()) {
  const media = new TableMedia(tables, systemClock);
  return { media, workshop: new Workshop(media, systemRandom, parsers()) };
}
