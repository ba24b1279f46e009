import { constants, crc32, deflateRawSync } from 'node:zlib';
import type { ArchivePiece, ArchiveZip, ArchiveZipEntry } from '../../proto/gen/types.js';

/** Files of one ZIP without the ZIP64 extension, less the reserved number. Source: APPNOTE.TXT 4.4.21. */
export const ZIP_FILES_MAX = 65_534;
/** Bytes of such a ZIP, with room for the directory. Source: APPNOTE.TXT 4.4.24. */
export const ZIP_BYTES_MAX = 4_000_000_000;

/** Version 2.0 to extract, UTF-8 names, sizes after the data. Source: APPNOTE.TXT 4.4.3, 4.4.4. */
const VERSION = 20;
const FLAGS = 0x0808;
const DEFLATED = 8;
/** An empty last block of DEFLATE. Source: RFC 1951 §3.2.6. */
const LAST_BLOCK = Buffer.from([0x03, 0x00]);

type OpenEntry = { -readonly [K in keyof ArchiveZipEntry]: ArchiveZipEntry[K] };

/** Media are compressed already: they are stored in DEFLATE's own form for that. */
export type Packing = 'text' | 'stored';
const LEVEL = { text: constants.Z_DEFAULT_COMPRESSION, stored: constants.Z_NO_COMPRESSION } as const;

/**
 * The next piece of a ZIP whose pieces are made at different times, on any node. An entry may span pieces: each part of
 * its data ends at a byte and refers to none before it, and its sizes follow its data.
 */
export class ZipPiece {
  readonly #data: Uint8Array[] = [];
  readonly #directory: Uint8Array[] = [];
  readonly #zip: { bytes: number; files: number; open?: OpenEntry | undefined };
  readonly #stamp: Buffer;
  #dataBytes = 0;

  /** @param atMs the time that all entries carry */
  constructor(zip: ArchiveZip, atMs: number) {
    this.#zip = { ...zip, open: zip.open && { ...zip.open } };
    this.#stamp = stampOf(atMs);
  }

  /** Bytes of data in this piece. */
  get dataBytes(): number {
    return this.#dataBytes;
  }

  /** Bytes of data in the whole ZIP so far. */
  get bytes(): number {
    return this.#zip.bytes;
  }

  get files(): number {
    return this.#zip.files;
  }

  /** The entry that is open has begun in this piece or an earlier one. */
  get isOpen(): boolean {
    return this.#zip.open !== undefined;
  }

  begin(name: string): void {
    if (this.isOpen) throw new Error('an entry of the ZIP is open');
    this.#zip.open = { name, offset: this.#zip.bytes, size: 0, packed: 0, crc: 0 };
    this.#zip.files += 1;
    const text = Buffer.from(name);
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    this.#describe(head, 4);
    head.writeUInt16LE(text.length, 26);
    this.#add(head, text);
  }

  add(bytes: Uint8Array, packing: Packing): void {
    const open = this.#openEntry();
    if (bytes.length === 0) return;
    open.crc = crc32(bytes, open.crc);
    open.size += bytes.length;
    this.#pack(deflateRawSync(bytes, { level: LEVEL[packing], finishFlush: constants.Z_SYNC_FLUSH }));
  }

  end(): void {
    this.#pack(LAST_BLOCK);
    const open = this.#openEntry();
    const sizes = Buffer.alloc(16);
    sizes.writeUInt32LE(0x08074b50, 0);
    writeSizes(sizes, 4, open);
    this.#add(sizes);
    const text = Buffer.from(open.name);
    const record = Buffer.alloc(46);
    record.writeUInt32LE(0x02014b50, 0);
    record.writeUInt16LE(VERSION, 4);
    this.#describe(record, 6);
    writeSizes(record, 16, open);
    record.writeUInt16LE(text.length, 28);
    record.writeUInt32LE(open.offset, 42);
    this.#directory.push(record, text);
    this.#zip.open = undefined;
  }

  /** Returns the bytes of this piece, and the state in which the next one begins. */
  finish(): { readonly bytes: Uint8Array; readonly piece: Omit<ArchivePiece, 'file'>; readonly zip: ArchiveZip } {
    const directory = Buffer.concat(this.#directory);
    const piece = { dataBytes: this.#dataBytes, directoryBytes: directory.length };
    return { bytes: Buffer.concat([...this.#data, directory]), piece, zip: this.#zip };
  }

  #openEntry(): OpenEntry {
    const { open } = this.#zip;
    if (open === undefined) throw new Error('no entry of the ZIP is open');
    return open;
  }

  #pack(bytes: Uint8Array): void {
    this.#openEntry().packed += bytes.length;
    this.#add(bytes);
  }

  #add(...all: readonly Uint8Array[]): void {
    for (const bytes of all) {
      this.#data.push(bytes);
      this.#dataBytes += bytes.length;
      this.#zip.bytes += bytes.length;
    }
  }

  #describe(target: Buffer, at: number): void {
    target.writeUInt16LE(VERSION, at);
    target.writeUInt16LE(FLAGS, at + 2);
    target.writeUInt16LE(DEFLATED, at + 4);
    this.#stamp.copy(target, at + 6);
  }
}

/** Returns the bytes that end a ZIP after its data and its directory. Source: APPNOTE.TXT 4.3.16. */
export function zipEnd({ files, bytes }: ArchiveZip, directoryBytes: number): Uint8Array {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files, 8);
  end.writeUInt16LE(files, 10);
  end.writeUInt32LE(directoryBytes, 12);
  end.writeUInt32LE(bytes, 16);
  return end;
}

function writeSizes(target: Buffer, at: number, { crc, packed, size }: ArchiveZipEntry): void {
  target.writeUInt32LE(crc, at);
  target.writeUInt32LE(packed, at + 4);
  target.writeUInt32LE(size, at + 8);
}

/** Returns time and date as MS-DOS writes them, in UTC. Source: APPNOTE.TXT 4.4.6. */
function stampOf(atMs: number): Buffer {
  const at = new Date(atMs);
  const stamp = Buffer.alloc(4);
  stamp.writeUInt16LE((at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1), 0);
  const year = Math.max(0, at.getUTCFullYear() - 1980);
  stamp.writeUInt16LE((year << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(), 2);
  return stamp;
}
