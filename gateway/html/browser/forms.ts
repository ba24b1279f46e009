/** The element of the page that carries texts for the script (web/frame.tsx). */
export const news = (): HTMLElement | null => document.getElementById('news');

/** Sends a form of the page. Returns undefined if the server has done it, the refusal in words otherwise. */
export async function send(action: string, fields: FormData): Promise<string | undefined> {
  try {
    const response = await fetch(action, {
      method: 'POST',
      body: new URLSearchParams([...fields] as [string, string][]),
      headers: { accept: 'application/json' },
      // Success is a redirect to a page, which the script does not need.
      redirect: 'manual',
    });
    if (response.type === 'opaqueredirect' || response.ok) return undefined;
    const { error } = (await response.json()) as { readonly error?: string };
    if (error !== undefined) return error;
  } catch {
    // No answer, or one that is no JSON.
  }
  return news()?.dataset.offline ?? '';
}

/** Returns another page of the client, to take elements out of it; undefined if there is none. Its scripts do not run. */
export async function pageAt(path: string): Promise<Document | undefined> {
  try {
    const response = await fetch(path, { headers: { accept: 'text/html' } });
    if (!response.ok || response.redirected) return undefined;
    return new DOMParser().parseFromString(await response.text(), 'text/html');
  } catch {
    return undefined;
  }
}
