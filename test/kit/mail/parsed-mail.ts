import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A mail as its recipient's program reads it. */
export interface ParsedMail {
  /** Values by lower-case name, unfolded. */
  readonly headers: ReadonlyMap<string, string>;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Empty if there is no HTML part. */
  readonly html: string;
}

/** Parses a message of one part or with alternatives, as this server sends them. */
export function parsedMail(raw: string): ParsedMail {
  const [headers, body] = split(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1];
  const parts =
    boundary === undefined
      ? [raw]
      : body
          .split(`--${boundary}`)
          .slice(1, -1)
          .map((part) => part.trimStart());
  const ofType = (type: string) => {
    for (const part of parts) {
      const [own, content] = split(part);
      if (own.get('content-type')?.startsWith(type)) return decoded(content, own.get('content-transfer-encoding'));
    }
    return '';
  };
  return {
    headers,
    to: (headers.get('to') ?? '').replace(/^.*<|>.*$/g, ''),
    subject: words(headers.get('subject') ?? ''),
    text: ofType('text/plain'),
    html: ofType('text/html'),
  };
}

/** Returns the mails in the folder of a node that has no SMTP server. */
export async function mailsIn(dataDir: string): Promise<ParsedMail[]> {
  const folder = join(dataDir, 'mail');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
  return Promise.all(names.map(async (name) => parsedMail(await readFile(join(folder, name), 'utf8'))));
}

function split(raw: string): [Map<string, string>, string] {
  const end = raw.search(/\r?\n\r?\n/);
  const head = raw.slice(0, end).replaceAll(/\r?\n[ \t]+/g, ' ');
  const headers = new Map<string, string>();
  for (const line of head.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return [headers, raw.slice(end).replace(/^(\r?\n){2}/, '')];
}

function decoded(content: string, encoding = '7bit'): string {
  const text = content.replaceAll('\r\n', '\n');
  if (encoding === 'base64') return Buffer.from(text, 'base64').toString('utf8');
  return encoding === 'quoted-printable' ? quotedPrintable(text.replaceAll('=\n', '')) : text;
}

const quotedPrintable = (text: string): string =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');

/** Decodes encoded words. Source: RFC 2047 §2. */
const words = (text: string): string =>
  text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, content: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(content, 'base64').toString('utf8')
        : quotedPrintable(content.replaceAll('_', ' ')),
    );
