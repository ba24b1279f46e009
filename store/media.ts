/** A stored file, open for reading. Files never change: another content has another name. */
export interface StoredFile {
  /** In bytes. */
  readonly size: number;
  /** Bytes `from` … `to` (exclusive), in pieces of at most some hundred KB. @throws Unavailable */
  read(from: number, to: number): AsyncIterable<Uint8Array>;
}

/** Where uploaded files lie, by name. Names are of letters that every file system takes. */
export interface MediaStore {
  /** Durable when resolved. @throws Unavailable */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Undefined: there is none. @throws Unavailable */
  open(name: string): Promise<StoredFile | undefined>;
  /** It need not exist. @throws Unavailable */
  remove(name: string): Promise<void>;
}

/** A whole file; undefined: there is none. @throws Unavailable */
export async function readWhole(store: MediaStore, name: string): Promise<Uint8Array | undefined> {
  const file = await store.open(name);
  if (file === undefined) return undefined;
  const pieces: Uint8Array[] = [];
  for await (const piece of file.read(0, file.size)) pieces.push(piece);
  return Buffer.concat(pieces);
}
