import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

/** Tests run at the root of the source tree, as `npm test` does. */
const root = process.cwd();
const FOLDERS = ['actors', 'compose', 'gateway'];

/** Takes a document of another server: fetches one, or parses a body. */
const TAKES = /\.object\(|\bparseObject\(/;
/** Asks whether to believe it: itself, or by the reader of stamps, which asks. */
const ASKS = /\b(?:authority|isStampOf)\(/;

const goesAround = (text: string): boolean => TAKES.test(text) && !ASKS.test(text);

async function sources(): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const folder of FOLDERS) {
    for (const name of await readdir(join(root, folder), { recursive: true })) {
      if (name.endsWith('.ts')) texts.set(join(folder, name), await readFile(join(root, folder, name), 'utf8'));
    }
  }
  return texts;
}

test('every file that takes a document of another server asks authority()', async () => {
  const all = [...(await sources())];
  assert.ok(all.filter(([, text]) => TAKES.test(text)).length >= 2);
  assert.deepEqual(
    all.filter(([, text]) => goesAround(text)).map(([name]) => name),
    [],
  );
  const stamps = all.filter(([, text]) => text.includes('export function isStampOf('));
  assert.deepEqual(
    stamps.map(([, text]) => text.includes('authority(document, { finalUrl, expected: stamped.id })')),
    [true],
  );
  assert.ok(goesAround('const note = await client.object(uri);'), 'the test detects an entry that goes around');
  assert.ok(goesAround('const activity = parseObject(body);'));
});

test('activities of other servers cause commands by receiverOf alone', async () => {
  for (const [name, text] of await sources()) {
    if (!/^actors\/federation\/(?:inbox|incoming|remote)\//.test(name)) continue;
    assert.doesNotMatch(text, /\baskerOf\b|\bRuntime\b|\.tell\(/, name);
  }
});
