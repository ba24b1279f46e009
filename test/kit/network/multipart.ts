import type { Answered, Person } from '../services/server.js';

/** A form's value: text, or a file's bytes. */
export type FormPart = string | Uint8Array;

/** Sends a form with files like a browser; every file claims the same image type, whatever it is. */
export async function sendForm(
  person: Person,
  method: string,
  path: string,
  fields: Readonly<Record<string, FormPart>>,
  more: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([Buffer.from(value)], { type: 'image/png' }), '../claimed.png');
  }
  const headers = { authorization: `Bearer ${person.token}`, ...more };
  const response = await person.server.send(path, { method, headers, body: form });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: JSON.parse(text) };
}
