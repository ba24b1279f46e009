import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A piece of a store's data: its place and its bytes. */
export interface StoredPiece {
  readonly place: string;
  readonly bytes: Buffer;
}

/** Returns every file of a folder and its subfolders. */
export async function bytesOfFolder(folder: string): Promise<StoredPiece[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.map(async (place) => ({ place, bytes: await readFile(place) })));
}

/** Returns the places that contain the text, or the bytes of which it is the base64url. */
export function placesOf(text: string, pieces: readonly StoredPiece[]): string[] {
  const forms = [Buffer.from(text), Buffer.from(text, 'base64url')].filter((form) => form.length >= FORM_BYTES_MIN);
  return pieces.filter(({ bytes }) => forms.some((form) => bytes.includes(form))).map(({ place }) => place);
}

/** Minimum length of a form: shorter ones occur by chance. */
const FORM_BYTES_MIN = 8;
