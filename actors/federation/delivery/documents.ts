import type { Cache } from '../../../store/cache/cache.js';
import { outgoingDocuments } from '../../../store/federation-tables.js';
import type { Tables } from '../../../store/port.js';

/**
 * Texts of activities to deliver. A post goes to many hosts at once, and all of its deliveries share one read and one
 * array of bytes, so that its digest is computed once, too.
 */
export class OutgoingDocuments {
  readonly #underWay = new Map<string, Promise<Uint8Array | undefined>>();

  constructor(
    private readonly tables: Pick<Tables, 'get'>,
    private readonly recent: Cache<Uint8Array>,
  ) {}

  /** Returns the text of a document; undefined when it has expired. @throws Unavailable */
  async of(name: string): Promise<Uint8Array | undefined> {
    const known = this.recent.get(name) ?? this.#underWay.get(name);
    if (known !== undefined) return known;
    const reading = this.#read(name).finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, reading);
    return reading;
  }

  async #read(name: string): Promise<Uint8Array | undefined> {
    const stored = await this.tables.get(outgoingDocuments, { document: name });
    if (stored !== undefined) this.recent.set(name, stored.body);
    return stored?.body;
  }
}
