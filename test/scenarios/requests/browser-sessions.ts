import type { Person } from '../cluster/people.js';

type Credentials = Pick<Person, 'email' | 'password'>;

/** A signed-in browser: its cookie, and the token of its forms. */
export interface BrowserSession {
  readonly headers: { readonly cookie: string };
  readonly body: { readonly csrf: string };
}

/** Browsers of people, which sign in with the form. */
export class BrowserSessions {
  private cookies = '';

  constructor(
    private readonly url: string,
    private readonly viewer: Credentials,
  ) {}

  /** Returns the cookie of a browser that is not signed in, and the token of a form at the path. */
  async visit(path: string) {
    const page = await fetch(`${this.url}${path}`);
    return { headers: { cookie: cookiesOf(page) }, csrf: csrfIn(await page.text()) };
  }

  /** Returns the submitted form of the sign-in page, with its cookie. */
  async signIn({ email, password }: Credentials = this.viewer) {
    const { headers, csrf } = await this.visit('/auth/sign_in');
    return { headers, body: { csrf, login: email, password } };
  }

  /** Returns a signed-in browser session with the fields of its forms; signs in again when it has ended. */
  async session(): Promise<BrowserSession> {
    const url = `${this.url}/auth/sign_in`;
    const page = await (await fetch(url, { headers: { cookie: this.cookies } })).text();
    if (!page.includes('/auth/sign_out')) {
      const { headers, body } = await this.signIn();
      const options = { method: 'POST', redirect: 'manual', body: new URLSearchParams(body), headers } as const;
      this.cookies = cookiesOf(await fetch(url, options));
      if (this.cookies === '') throw new Error('signing in gave no session');
      return this.session();
    }
    return { headers: { cookie: this.cookies }, body: { csrf: csrfIn(page) } };
  }

  /** Returns a new session of a person, with the fields of its forms. */
  async sessionOf(person: Credentials): Promise<BrowserSession> {
    const url = `${this.url}/auth/sign_in`;
    const { headers, body } = await this.signIn(person);
    const options = { method: 'POST', redirect: 'manual', body: new URLSearchParams(body), headers } as const;
    const cookie = cookiesOf(await fetch(url, options));
    return { headers: { cookie }, body: { csrf: csrfIn(await (await fetch(url, { headers: { cookie } })).text()) } };
  }
}

const cookiesOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ');
const csrfIn = (page: string): string => /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
