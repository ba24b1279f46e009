import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Reads a ZIP with an independent program, which checks sizes and checksums. */
const READER = `
import base64, json, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
print(json.dumps({i.filename: base64.b64encode(z.read(i)).decode() for i in z.infolist()}))
`;
const OUTPUT_BYTES_MAX = 256 * 1_048_576;

/** Returns the files of a ZIP by name, in its order. @throws when it is damaged */
export function unzipped(zip: Uint8Array): ReadonlyMap<string, Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'murmuration-zip-'));
  try {
    const path = join(folder, 'archive.zip');
    writeFileSync(path, zip);
    const printed = execFileSync('python3', ['-c', READER, path], { maxBuffer: OUTPUT_BYTES_MAX, encoding: 'utf8' });
    const files = JSON.parse(printed) as Readonly<Record<string, string>>;
    return new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text, 'base64')]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns a file of a ZIP that contains JSON. */
export function jsonOf(files: ReadonlyMap<string, Buffer>, name: string) {
  const file = files.get(name);
  assert.ok(file !== undefined, `${name} is missing`);
  // biome-ignore lint/suspicious/noExplicitAny: documents of every shape.
  return JSON.parse(file.toString('utf8')) as any;
}
