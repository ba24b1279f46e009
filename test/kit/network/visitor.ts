import type { Send } from './injection.js';

/** A page or redirect that a visitor received. */
export interface Visited {
  readonly status: number;
  readonly text: string;
  readonly location: string | undefined;
  readonly headers: Headers;
}

/** A browser without scripts: keeps cookies, fills in received forms, follows redirects only on request. */
export class Visitor {
  readonly cookies = new Map<string, string>();
  page: Visited | undefined;

  /** @param more headers of every request */
  constructor(
    private readonly server: { readonly send: Send },
    private readonly more: Readonly<Record<string, string>> = {},
  ) {}

  async get(path: string): Promise<Visited> {
    return this.visit('GET', path, undefined, {});
  }

  async post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Visited> {
    return this.visit('POST', path, new URLSearchParams(fields), headers);
  }

  /**
   * Submits the form of the current page whose action is `action`, with its hidden fields and `fields`. A form with a
   * file is sent as multipart.
   */
  async submit(
    action: string,
    fields: Readonly<Record<string, string | Blob>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Visited> {
    const all = Object.entries({ ...this.hidden(action), ...fields });
    const hasFile = all.some(([, value]) => typeof value !== 'string');
    const form = hasFile ? new FormData() : new URLSearchParams();
    for (const [name, value] of all)
      if (typeof value === 'string') form.set(name, value);
      else (form as FormData).set(name, value, 'file');
    return this.visit('POST', action, form, headers);
  }

  /** Returns the hidden fields of the current page's form. */
  hidden(action: string): Record<string, string> {
    const form = this.page?.text.split('<form').find((part) => part.includes(`action="${action}"`)) ?? '';
    const inputs = form.split('</form>')[0]?.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"\/?>/g) ?? [];
    return Object.fromEntries([...inputs].map(([, name, value]) => [name ?? '', unescaped(value ?? '')]));
  }

  private async visit(
    method: string,
    path: string,
    body: URLSearchParams | FormData | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<Visited> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await this.server.send(path, {
      method,
      redirect: 'manual',
      headers: { ...(cookie === '' ? {} : { cookie }), ...this.more, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [name, value] = (set.split(';')[0] ?? '').split('=') as [string, string];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    this.page = {
      status: response.status,
      text: await response.text(),
      location: response.headers.get('location') ?? undefined,
      headers: response.headers,
    };
    return this.page;
  }
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
