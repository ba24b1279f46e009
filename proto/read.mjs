import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';

/** Parses proto/*.proto. Returns their reflection, with comments. */
export function readProtos() {
  const folder = dirname(fileURLToPath(import.meta.url));
  const root = new protobuf.Root();
  const files = readdirSync(folder).filter((name) => name.endsWith('.proto'));
  for (const file of files.sort())
    protobuf.parse(readFileSync(join(folder, file), 'utf8'), root, { keepCase: false, alternateCommentMode: true });
  return root.resolveAll();
}
