/** A stored file, open for reading. Files never change: other content has another name. */
export interface StoredFile {
  /** In bytes. */
  readonly size: number;
  /** Yields the bytes `from` … `to` (exclusive), in pieces of at most some hundred KB. @throws Unavailable */
  read(from: number, to: number): AsyncIterable<Uint8Array>;
}

/** Storage of uploaded files, by name. Names consist of letters that every file system accepts. */
export interface MediaStore {
  /** Stores a file; durable when resolved. @throws Unavailable */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Opens a file; undefined if it does not exist. @throws Unavailable */
  open(name: string): Promise<StoredFile | undefined>;
  /** Deletes a file; it need not exist. @throws Unavailable */
  remove(name: string): Promise<void>;
}

/** Reads a whole file; undefined if it does not exist. @throws Unavailable */
export async function readWhole(store: MediaStore, name: string): Promise<Uint8Array | undefined> {
  const file = await store.open(name);
  if (file === undefined) return undefined;
  const pieces: Uint8Array[] = [];
  for await (const piece of file.read(0, file.size)) pieces.push(piece);
  return Buffer.concat(pieces);
}
