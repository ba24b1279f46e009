import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../kit/time/until.js';

/** Maximum wait for a confirmation mail, which is an effect after the reply. */
const MAIL_MS_MAX = 60_000;

/** Returns the confirmation link in the mail to that address, from the nodes' mail folders (no SMTP_URL is set). */
export async function confirmationLink(dataDirs: readonly string[], address: string): Promise<string> {
  return until(`a confirmation mail to ${address}`, () => findLink(dataDirs, address, CONFIRMATION), MAIL_MS_MAX);
}

/** Returns the link to a new password in the mail to that address. */
export function resetLink(dataDirs: readonly string[], address: string): Promise<string> {
  return until(`a link for ${address}`, () => findLink(dataDirs, address, RESET), MAIL_MS_MAX);
}

/** Returns the link with which the recipient of that address ends mails about reports. */
export const unsubscribeLink = (dataDirs: readonly string[], address: string): Promise<string> =>
  until(`a mail about a report to ${address}`, () => findLink(dataDirs, address, UNSUBSCRIBE), MAIL_MS_MAX);

/** Returns true if the account of that name was notified of a changed password. */
export async function wasChanged(dataDirs: readonly string[], name: string): Promise<boolean> {
  return (await findLink(dataDirs, `${name}@example.org`, CHANGED)) !== undefined;
}

const CONFIRMATION = /https?:\/\/\S+\/auth\/confirmation\?\S+/;
const RESET = /https?:\/\/\S+\/auth\/password\/edit\?\S+/;
const UNSUBSCRIBE = /https?:\/\/\S+\/auth\/mails\/reports\?token=[\w.-]+/;
const CHANGED = /password on \S+ was changed/;

async function findLink(dataDirs: readonly string[], address: string, form: RegExp): Promise<string | undefined> {
  for (const dataDir of dataDirs) {
    const folder = join(dataDir, 'mail');
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((one) => one.endsWith('.eml'))) {
      const raw = await readFile(join(folder, name), 'utf8');
      if (!raw.includes(address)) continue;
      const text = raw.replace(/=\r?\n/g, '').replaceAll('=3D', '=');
      const link = form.exec(text);
      if (link !== null) return link[0];
    }
  }
  return undefined;
}
