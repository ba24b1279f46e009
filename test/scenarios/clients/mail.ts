import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../kit/until.js';

/** How long a confirmation mail may take: it is an effect behind the reply. */
const MAIL_MS_MAX = 20_000;

/** The confirmation link in the mail to that address, out of the nodes' mail folders (no SMTP_URL is set). */
export async function confirmationLink(dataDirs: readonly string[], address: string): Promise<string> {
  return until(`a confirmation mail to ${address}`, () => findLink(dataDirs, address), MAIL_MS_MAX);
}

async function findLink(dataDirs: readonly string[], address: string): Promise<string | undefined> {
  for (const dataDir of dataDirs) {
    const folder = join(dataDir, 'mail');
    const names = await readdir(folder).catch(() => []);
    for (const name of names) {
      const raw = await readFile(join(folder, name), 'utf8');
      if (!raw.includes(address)) continue;
      const text = raw.replace(/=\r?\n/g, '').replaceAll('=3D', '=');
      const link = /https?:\/\/\S+\/auth\/confirmation\?\S+/.exec(text);
      if (link !== null) return link[0];
    }
  }
  return undefined;
}
