import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a piece of what a store holds lies, and its bytes. */
export interface StoredPiece {
  readonly place: string;
  readonly bytes: Buffer;
}

/** Every file in a folder and the folders in it. */
export async function bytesOfFolder(folder: string): Promise<StoredPiece[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.map(async (place) => ({ place, bytes: await readFile(place) })));
}

/** The places that hold the text, or the bytes of which it is the base64url. */
export function placesOf(text: string, pieces: readonly StoredPiece[]): string[] {
  const forms = [Buffer.from(text), Buffer.from(text, 'base64url')].filter((form) => form.length >= FORM_BYTES_MIN);
  return pieces.filter(({ bytes }) => forms.some((form) => bytes.includes(form))).map(({ place }) => place);
}

/** Shorter ones are found by chance. */
const FORM_BYTES_MIN = 8;
